"""What can be asked of a session. Unknown members are refused, so that none is silently without effect."""

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from service.requests import MAX_SESSION, Asked, Budget, IdText, Text

MAX_CONTENT: Final = 3_500_000  # characters of one content; a request is at most 4 MB
MAX_EVIDENCE: Final = 1_000  # ids named by one step: more is a listing
MAX_LEASE: Final = 3_600  # seconds; a run that lives longer renews its lease
MAX_WAIT: Final = 60  # seconds a write waits for a lock: proxies cut connections soon after
MAX_FORKS: Final = 200  # forks of forks: each is read with all that it came from
LEASE: Final = 60
"""Seconds of a lease where none are asked for: some calls of a model."""

Name = Annotated[Text, Field(min_length=1, max_length=MAX_SESSION)]
Content = Annotated[Text, Field(max_length=MAX_CONTENT)]
Step = Annotated[str, Field(min_length=12, max_length=71, description="An event's id, or a unique prefix of it.")]


class SessionRequest(Asked):
    """A new session."""

    title: Name | None = None
    system: Content | None = Field(default=None, description="The system context: what holds for all of it.")
    agent: "AgentRequest | Step | None" = Field(default=None, description="A definition, or the id of one.")
    store: bool = Field(
        default=True, description="With false nothing is kept: the record is in the reply, and no more."
    )
    labels: dict[str, str] = Field(default_factory=dict, max_length=64)


class AgentRequest(Asked):
    """The definition of an agent. A credential in it is refused."""

    name: Name | None = None
    system: Content | None = None
    tools: list[dict[str, Any]] | None = Field(default=None, max_length=1000)
    provider: Name | None = None
    model: Name | None = None
    api_schema: Name | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)


class WriteRequest(Asked):
    """What every write to a session may say."""

    run: Step | None = Field(default=None, description="The run that writes; others get 409 while one holds the lock.")
    wait: int = Field(default=0, ge=0, le=MAX_WAIT, description="Seconds to wait for the lock; 0 refuses at once.")


class ToolCall(Asked):
    """A call of a tool that a message makes."""

    id: Name
    name: Name
    arguments: dict[str, Any] | str = Field(default_factory=dict)


class MessageRequest(WriteRequest):
    """A message, or what else is said in a session."""

    type: Literal["message", "agent_task", "agent_message", "agent_result", "sealed"] = "message"
    role: Literal["user", "assistant", "system", "developer", "tool"] = "user"
    content: Content | list[Any] | None = Field(default=None, description="Text, or a list of content blocks.")
    tool_calls: tuple[ToolCall, ...] = Field(default=(), max_length=256)
    author: Name | None = Field(default=None, description="Who says it, if not the role: an agent's name.")
    recipient: Name | None = None
    agent: Step | None = Field(default=None, description="The agent's definition.")
    parent: Step | None = Field(default=None, description="The event this answers or stems from.")
    evidence: tuple[IdText, ...] = Field(default=(), max_length=MAX_EVIDENCE)
    pinned: bool = Field(default=False, description="Always stays in the context.")
    tokens: Budget | None = Field(default=None, description="As the model counted; none given: an estimate.")
    provider: Name | None = None
    model: Name | None = None
    api_schema: Name | None = None
    tools: tuple[Name, ...] | None = Field(default=None, max_length=1000, description="What a sub-agent may use.")
    sealed: Any = Field(default=None, description="An item that only its provider can read, as it came.")
    handover: Content | None = Field(default=None, description="What a reader must know of a sealed item.")
    sent: dict[str, Any] | None = Field(
        default=None, description="What the model was shown for this, as ids of events."
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.type == "sealed":
            if self.sealed is None or self.provider is None:
                raise ValueError("a sealed item comes with `sealed` and `provider`")
        elif self.content is None and not self.tool_calls:
            raise ValueError("give `content` or `tool_calls`")
        elif self.sealed is not None or self.handover is not None:
            raise ValueError("`sealed` and `handover` belong to the type `sealed`")
        return self


class ToolResult(Asked):
    """What a tool gave back."""

    call: Name
    name: Name | None = None
    content: Content | list[Any] | dict[str, Any] = ""
    is_error: bool = False
    evidence: tuple[IdText, ...] = Field(default=(), max_length=MAX_EVIDENCE)
    tokens: Budget | None = None


class ToolResultsRequest(WriteRequest):
    """Results of calls that the model made."""

    results: tuple[ToolResult, ...] = Field(min_length=1, max_length=256)


class RunRequest(Asked):
    """A run takes the session's lock: until it ends or its lease runs out, nobody else writes."""

    lease_seconds: int = Field(default=LEASE, ge=1, le=MAX_LEASE)
    wait: int = Field(default=0, ge=0, le=MAX_WAIT)
    agent: Step | None = None
    provider: Name | None = None
    model: Name | None = None
    api_schema: Name | None = None
    drive: bool = Field(default=False, description="Let this server ask its model, with its own tools, to the end.")
    max_steps: int | None = Field(default=None, ge=1, le=1000, description="Answers of the model in a driven run.")
    mismatch: Literal["note", "refuse", "route"] = Field(
        default="note",
        description="If the session went on with another model so far: note it, refuse, or ask for that model.",
    )


class RerunRequest(Asked):
    """A session is run again with another definition, in a fork."""

    agent: AgentRequest | Step = Field(description="The definition, or the id of one.")
    at: Step | None = Field(default=None, description="The last event both share; none given: the first question.")
    live: bool = Field(default=False, description="Call our tools for what is not on record.")
    max_steps: int | None = Field(default=None, ge=1, le=1000, description="Answers of the model to each question.")


class RunChange(Asked):
    """What becomes of a run."""

    action: Literal["renew", "complete", "fail", "cancel", "request_approval"]
    lease_seconds: int = Field(default=LEASE, ge=1, le=MAX_LEASE)
    reason: Text | None = Field(default=None, max_length=2000)


class ApprovalRequest(WriteRequest):
    """A person's answer to a run that asked."""

    comment: Text | None = Field(default=None, max_length=2000)


class CheckpointRequest(WriteRequest):
    """A name for where the session is."""

    name: Name


class RollbackRequest(WriteRequest):
    """Go back to a checkpoint or an event; what came after stays readable."""

    to: Annotated[Text, Field(min_length=1, max_length=MAX_SESSION)]


class ArtifactRequest(WriteRequest):
    """A file that came out of the session."""

    name: Name
    media_type: Name = "text/plain; charset=utf-8"
    text: Content | None = None
    base64: Content | None = None
    evidence: tuple[IdText, ...] = Field(default=(), max_length=MAX_EVIDENCE)

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.text is None) == (self.base64 is None):
            raise ValueError("give `text` or `base64`")
        return self


class CompactionRequest(WriteRequest):
    """A summary in place of older steps, which stay where they are."""

    summary: Content | None = Field(default=None, description="None given: one is made, and says how.")
    by: Literal["auto", "model", "extract"] = Field(
        default="auto", description="What makes it: the model that is set up, else an extract without a model."
    )
    until: Step | None = Field(
        default=None, description="The last event it stands for; none given: all but the newest."
    )
    instructions: Content | None = Field(default=None, description="What the summary was made by.")
    supersedes: Step | None = None
    keep_last: int = Field(default=4, ge=0, le=1000, description="Newest messages left as they are.")
    max_tokens: Budget = 1000
    provider: Name | None = None
    model: Name | None = None


class ContextRequest(Asked):
    """What a model is to be shown."""

    form: Literal["openai", "responses", "anthropic", "gemini"] | None = None
    budget: int | None = Field(default=None, ge=1)
    at: str | None = Field(default=None, max_length=80)
    mode: Literal["recent", "relevant"] = "recent"
    provider: str | None = Field(default=None, max_length=MAX_SESSION)
    model: str | None = Field(default=None, max_length=MAX_SESSION)
    system: str | None = Field(default=None, description="In place of the session's own.")


SessionRequest.model_rebuild()
