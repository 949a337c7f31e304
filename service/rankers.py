"""Which model ranks passages here: the one that the settings name."""

from pydantic import SecretStr

from crawler import BadAddress
from service.failures import BadSetting
from service.local_model import load_vectors
from service.outgoing import proxies_of
from service.ranking import Embeddings, Local, Ranker, Reranking
from service.settings import Settings


def ranker_of(settings: Settings) -> Ranker | None:
    """The model that ranks passages, if one is set up: of several the one that was made for it.

    Raises:
        BadSetting: it cannot be used.
    """

    def told(key: SecretStr | None) -> str | None:
        return key.get_secret_value() if key else None

    agent, proxies = settings.user_agent, proxies_of(settings)
    seconds = settings.rank_seconds
    try:
        if settings.rerank_url:
            model, key = settings.rerank_model, told(settings.rerank_key)
            return Reranking(settings.rerank_url, model=model, key=key, seconds=seconds, agent=agent, proxies=proxies)
        if settings.embedding_url:
            model, key = settings.embedding_model, told(settings.embedding_key)
            return Embeddings(
                settings.embedding_url, model=model, key=key, seconds=seconds, agent=agent, proxies=proxies
            )
    except BadAddress as error:
        raise BadSetting(f"the address of the model that ranks cannot be used: {error}") from error
    return Local(settings.local_model, load_vectors(settings.local_model)) if settings.local_model else None
