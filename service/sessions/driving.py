"""Runs that are driven here: the model is asked, its calls of our tools are answered, until it has said its word.

Every step is kept before the next one is taken, and what comes next is read out of the session alone. So whatever
happens, the session shows how far it came, and any process can go on from there: one that dies leaves a lease that runs
out, and the next one to look takes the run over. The step it died in is done again.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Protocol

import structlog
from anyio.to_thread import run_sync

from crawler import DIRECT, CrawlError, Endpoint, Proxies, parse_address
from service.failures import BadRequest, ServiceError
from service.requests import Caller
from service.sessions.asked import RunChange, RunRequest, WriteRequest
from service.sessions.asking import Asking, Model, Stopped
from service.sessions.context import MESSAGES
from service.sessions.drives import Drives
from service.sessions.history import History
from service.sessions.instances import Instance, instance_of
from service.sessions.models import Answer, ModelForm
from service.sessions.reading import Reading
from service.sessions.steps import Step
from service.sessions.talking import Sessions, Told
from snapshots import Event, EvidenceError

WAITING_SECONDS: Final = 180
"""How long a run keeps the lock for whoever has the tools that its model called."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Pace:
    """Seconds: how long a run is held without a sign of life, how often one comes, how often others are looked for."""

    lease: float = 30.0
    beat: float = 8.0
    look: float = 5.0


@dataclass(frozen=True)
class Called:
    """What a tool gave back: its text, whether it failed, the record of it, and other ids it rests on."""

    text: str
    is_error: bool
    record: str | None
    evidence: tuple[str, ...] = ()


class OwnTools(Protocol):
    """The tools of this installation, as they are offered to a model."""

    def offered(self, form: ModelForm) -> list[dict[str, Any]]:
        """Their definitions in the form of an API."""
        ...

    def knows(self, name: str) -> bool:
        """Whether this is one of them."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Called:
        """Call one. What goes wrong is told in words."""
        ...


class Behind(Protocol):
    """Where the sessions are."""

    @property
    def sessions(self) -> Sessions:
        """What is done with them."""
        ...

    @property
    def session_reading(self) -> Reading:
        """What is read out of them."""
        ...


@dataclass(frozen=True)
class Job:
    """A run to be driven: by whom it was begun, how far it may go, with what."""

    session: str
    run: str
    caller: Caller
    steps: int
    instance: Instance
    tools: OwnTools


class Driver:
    """Drives runs of one installation. Close it before the parts it uses."""

    def __init__(
        self,
        behind: Behind,
        tools: OwnTools,
        model: Model | None,
        agent: str,
        pace: Pace | None = None,
        proxies: Proxies = DIRECT,
    ) -> None:
        self._behind = behind
        self.tools = tools
        self._model = model
        self._endpoint = Endpoint(model.url, user_agent=agent, proxies=proxies) if model else None
        self._pace = pace or Pace()
        self._tasks: set[asyncio.Task[None]] = set()
        self._said: dict[str, tuple[int, str]] = {}

    @cached_property
    def _drives(self) -> Drives:
        """Looked for when they are needed: what stands behind a server may keep no sessions."""
        return Drives(self._behind.sessions.book.parts, self._pace.lease)

    @property
    def model(self) -> Model:
        """The operator's model.

        Raises:
            BadRequest: none is set up here.
        """
        if self._model is None:
            raise BadRequest(
                "no model is set up here: set CITATOR_MODEL_URL and CITATOR_MODEL_NAME, or drive the run yourself"
            )
        return self._model

    @property
    def has_model(self) -> bool:
        """Whether there is one."""
        return self._model is not None

    async def word(self, system: str, text: str) -> Answer:
        """What the model says to one text, without tools and without a session.

        Raises:
            As `model`; Stopped and CrawlError: it gave no answer.
        """
        said = {"role": "user", "content": text}
        anthropic = {"system": system, "messages": [said]}
        openai = {"messages": [{"role": "system", "content": system}, said]}
        asking = Asking(self._behind, self.model, self._endpoint_here())
        instance = Instance(model=self.model.name, tools=())
        return await asking.ask(instance, anthropic if self.model.form == "anthropic" else openai, lambda _: None)

    def _endpoint_here(self) -> Endpoint:
        assert self._endpoint is not None, "whoever has a model has an endpoint"
        return self._endpoint

    @property
    def host(self) -> str:
        """The provider, as events name it. Raises as `model`."""
        return parse_address(self.model.url).host

    def saying(self, run: str) -> tuple[int, str]:
        """What the model has said so far of the answer that is coming, and which answer of the run it is."""
        return self._said.get(run, (0, ""))

    async def start(self, session: str, asked: RunRequest, caller: Caller) -> Told:
        """Begin a run and go on with it in the background.

        Raises:
            BadRequest: no model is set up here.
            SessionLocked: another run holds the session.
            ModelMismatch: the session went on with another model so far, and that was to be refused.
        """
        run, job = await self.begin(session, asked, caller, self.tools)
        if job is not None:
            self._spawn(job)
        return run

    async def begin(
        self, session: str, asked: RunRequest, caller: Caller, tools: OwnTools, *, durable: bool = True
    ) -> tuple[Told, Job | None]:
        """Begin a run, and what is to be done for it; None if another process does it already.

        Raises:
            As `start`.
        """
        model = self.model
        history = await self._behind.sessions.book.history(session)
        instance = await self._instance(history, asked.agent, tools)
        if asked.mismatch == "route":
            instance = replace(instance, model=_routed(history, self.host, instance.model))
        named = {"provider": self.host, "model": instance.model, "api_schema": model.form}
        steps = min(asked.max_steps or model.steps, model.steps)
        begun = asked.model_copy(update={"lease_seconds": round(self._pace.lease)} | named)
        details = {"drive": {"steps": steps, "scopes": sorted(caller.scopes)}} if durable else {}
        run = await self._behind.sessions.start(session, begun, caller, details)
        if not await self._drives.take(run["session"], run["id"]):
            return run, None
        return run, Job(run["session"], run["id"], replace(caller, once=None), steps, instance, tools)

    async def _instance(self, history: History, agent: str | None, tools: OwnTools) -> Instance:
        named = agent or history.session.agent
        definition = await self._behind.sessions.agent(named) if named else None
        if definition and definition["provider"] is None and await self._came_from_elsewhere(definition["id"]):
            definition["model"] = None  # of whichever provider was asked there
        return instance_of(
            self.model.form,
            definition,
            model=self.model.name,
            host=self.host,
            own=tools.offered(self.model.form),
            system=definition["system"] if definition and agent else None,
        )

    async def _came_from_elsewhere(self, agent: str) -> bool:
        archive = self._behind.sessions.book.parts.archive

        def imported() -> bool:
            position = archive.catalogue.position_of(agent)
            return position is not None and archive.imported(agent, position)

        return await run_sync(imported)

    # going on with what others left

    async def look_after(self) -> None:
        """Go on with runs that another process, or an earlier one here, left in the middle; until cancelled."""
        while self._model is not None:
            try:
                for session, run in await self._drives.abandoned():
                    await self._go_on(session, run)
            except (ServiceError, EvidenceError) as error:
                log.warning("runs that were left cannot be looked for", error=str(error))
            await asyncio.sleep(self._pace.look)

    async def _go_on(self, session: str, run: str) -> None:
        if not await self._drives.take(session, run):
            return
        try:
            job = await self._taken_over(session, run)
        except (ServiceError, EvidenceError) as error:
            log.info("a run that was left is over", session=session, run=run, reason=str(error))
            job = None
        if job is None:
            await self._drives.give_back(session, run)
        else:
            self._spawn(job)

    async def _taken_over(self, session: str, run: str) -> Job | None:
        sessions = self._behind.sessions
        history = await sessions.book.history(session)
        started = history.by_id.get(run)
        drive = started.details.get("drive") if started else None
        if started is None or not isinstance(drive, dict) or history.open_run is not started:
            return None
        if not await sessions.book.take(history, run, round(self._pace.lease)):
            return None
        caller = Caller(key=started.by, name="run", scopes=frozenset(drive.get("scopes", ())), surface="session")
        await sessions.write(session, WriteRequest(run=run), caller, lambda _: [Step("run_resumed")])
        instance = await self._instance(history, started.agent, self.tools)
        if started.provider == self.host and started.model:
            instance = replace(instance, model=started.model)
        return Job(session, run, caller, int(drive.get("steps", self.model.steps)), instance, self.tools)

    async def close(self) -> None:
        """Stop what is running. Another process, or the next one here, goes on with it."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._endpoint is not None:
            self._endpoint.close()

    # driving

    def _spawn(self, job: Job) -> None:
        task = asyncio.create_task(self._in_background(job), name=f"run {job.run}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _in_background(self, job: Job) -> None:
        with suppress(asyncio.CancelledError):
            await self.drive(job)

    async def drive(self, job: Job) -> None:
        """Drive a run to its end, or to where somebody else has to go on."""
        driving = asyncio.create_task(self._to_its_end(job), name=f"driving {job.run}")
        beating = asyncio.create_task(self._signs_of_life(job, driving), name=f"holding {job.run}")
        try:
            await driving
        except asyncio.CancelledError:
            driving.cancel()
            await asyncio.gather(driving, return_exceptions=True)
            await asyncio.shield(self._drives.let_go(job.session, job.run))
            raise
        finally:
            beating.cancel()
            self._said.pop(job.run, None)
        await self._drives.give_back(job.session, job.run)

    async def _signs_of_life(self, job: Job, driving: "asyncio.Task[None]") -> None:
        book = self._behind.sessions.book
        while True:
            await asyncio.sleep(self._pace.beat)
            try:
                history = await book.history(job.session)
                ours = await self._drives.take(job.session, job.run)
                held = ours and await book.take(history, job.run, round(self._pace.lease))
            except (ServiceError, EvidenceError) as error:
                log.warning("a run gave no sign of life", run=job.run, error=str(error))
                continue
            if not held:
                driving.cancel()  # somebody else has it by now
                return

    async def _to_its_end(self, job: Job) -> None:
        try:
            await self._steps(job)
        except Stopped as stopped:
            await self._end(job, str(stopped))
        except (ServiceError, EvidenceError, CrawlError) as error:
            await self._end(job, str(error))
        except Exception:
            log.exception("a run broke off", session=job.session, run=job.run)
            await self._end(job, "a fault in Citator itself; its log says more")

    async def _end(self, job: Job, reason: str) -> None:
        try:
            change = RunChange(action="fail", reason=reason[:2000])
            await self._behind.sessions.change(job.session, job.run, change, job.caller)
        except (ServiceError, EvidenceError) as error:
            log.warning("the end of a run is not on record", session=job.session, run=job.run, error=str(error))

    async def _steps(self, job: Job) -> None:
        sessions = self._behind.sessions
        asking = Asking(self._behind, self.model, self._endpoint_here())
        stopped: str | None = None
        while True:
            history = await sessions.book.history(job.session)
            calls = await sessions.calls_waiting(history)
            if not all(job.tools.knows(str(call["name"])) for call in calls):
                # Somebody else's tools: whoever has them gives the results, and starts a run to go on.
                await sessions.book.take(history, job.run, WAITING_SECONDS)
                return
            if calls:
                await asking.answer_calls(job.session, job.run, calls, job.tools, job.caller)
                continue
            answers = [event for event in history.path if _is_answer(event, job.run)]
            last = next((event for event in reversed(history.path) if event.type in MESSAGES), None)
            if last is not None and answers and last is answers[-1]:
                await sessions.change(job.session, job.run, RunChange(action="complete", reason=stopped), job.caller)
                return
            if len(answers) >= job.steps:
                raise Stopped("the model called tools again and again: the limit of steps was reached")
            number = len(answers) + 1
            said: list[str] = []
            self._said[job.run] = (number, "")

            def hear(text: str, number: int = number, said: list[str] = said) -> None:
                said.append(text)
                self._said[job.run] = (number, "".join(said))

            stopped = await asking.next_word(job.session, job.run, job.instance, job.caller, hear)


def _is_answer(event: Event, run: str) -> bool:
    return event.run == run and event.type == "message" and event.author == "assistant"


def _routed(history: History, host: str, otherwise: str) -> str:
    """The model that the session went on with so far, if it is one of this provider's."""
    last = next((event for event in reversed(history.path) if event.model), None)
    return last.model if last is not None and last.model and last.provider in {None, host} else otherwise
