# ruff: noqa: E501, RUF001 -- long lines are lists here, and letters of other alphabets look like Latin ones
"""Words that say little in a query: function and question words of each language, lower case, as written.

They are left out of queries that have other words, never out of the index; and they tell a query's language.
Short lists on purpose: a word that carries meaning in some queries stays in.
"""

from __future__ import annotations

from functools import cache

# fmt: off
_LISTS = {
    "ar": "في من على إلى عن مع هو هي هم كان كانت يكون ما ماذا متى أين كيف كم لماذا أي هل الذي التي الذين هذا هذه ذلك تلك أن إن أو و ثم قد لم لن لا بعد قبل بين كل تم عند",
    "cs": "a v na je se z do že s k o i ve za pro by od po u jak kdy kde kdo co který která které proč kolik ale nebo jsou byl byla bylo být není to ten ta tento jaký jaká jaké",
    "da": "og i at det en den til er som på de med for af ikke der var et har om vi min havde ham hun nu over da fra du ud hvad hvem hvor hvornår hvordan hvorfor hvilken hvilke hvilket mange meget blev bliver kan skal eller",
    "de": "der die das den dem des ein eine einer eines einem einen und oder in im an am auf für mit von vom zu zum zur bei nach aus ist war wird wurde wurden werden sind waren hat hatte haben was wer wem wen wie wo wann welche welcher welches welchen welchem warum wieso wieviel als es er sie sich nicht auch dass durch um bis ich du wir ihr kann man",
    "el": "ο η το οι τα του της των τον την τους τις και κι σε στο στη στην στον στους στις στα με για από ως προς να θα που πως πώς πού πότε ποιος ποια ποιο ποιοι ποιες ποιον ποιων τι γιατί πόσο πόσα πόσοι πόσες είναι ήταν είχε έχει έχουν ένα μια ένας μία δεν μη ή αν ότι",
    "en": "a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my of on or our shall should so than that the their them then there these they this those to us was we were what when where which who whom whose why will with would you your about any many much",
    "es": "el la los las un una unos unas de del al a en y o que qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde cómo por para con sin sobre es son era fue fueron ser está están ha han había se su sus lo le les no más como pero si porque este esta ese esa hay",
    "fi": "ja on ei se että oli hän joka mutta tai kun niin myös ovat ole olla mikä mitä kuka ketä missä milloin miten miksi kuinka mistä mihin monta paljon jos kuin sen ne tämä",
    "fr": "le la les un une des de du d l au aux à en et ou où que qu qui quoi quel quelle quels quelles quand comment pourquoi combien est sont était été être a ont avait par pour avec sans sur dans ce cet cette ces il elle ils elles se s n ne pas plus son sa ses leur leurs y je nous vous",
    "hi": "का के की को में से है हैं था थे थी ने पर और या एक यह वह ये वे कि जो क्या कौन कब कहाँ कहां कैसे क्यों कितने कितना कितनी किस किसने किसे किन हो होता होती होते गया गई गए कर करने करता करते किया लिए साथ भी तक द्वारा",
    "hu": "a az és egy hogy nem is volt van meg de ki mi mit mikor hol hogyan miért melyik mennyi hány milyen vagy ha ez azt csak mint el ami",
    "id": "yang dan di dari untuk pada adalah dengan ini itu ke tidak dalam akan juga oleh atau apa siapa kapan dimana mana bagaimana mengapa berapa sebagai bisa ada",
    "it": "il lo la i gli le un uno una di del della dei degli delle dello da dal dalla in nel nella nei con su sul sulla per tra fra e ed o che chi cosa quale quali quando dove come perché quanto quanti quante è sono era fu furono essere ha hanno aveva si non più suo sua al alla ai",
    "nl": "de het een en van in op te dat die is was voor met zijn niet aan er om ook als bij door naar uit over hoe wat wie waar wanneer waarom welke welk hoeveel werd worden wordt had heeft hebben of maar kan",
    "no": "og i det er på en et for av til som å med at ikke den de var har om fra ble hva hvem hvor når hvordan hvorfor hvilken hvilke hvilket mange mye kan skal eller",
    "pl": "i w na z do się nie że to jest o po za od jak kiedy gdzie kto co który która które dlaczego ile czy lub są był była było być dla przez jaki jaka jakie",
    "pt": "o a os as um uma uns umas de do da dos das em no na nos nas e ou que quem qual quais quando onde como porque por para com sem sobre é são era foi foram ser está estão há tem têm se seu sua seus suas não mais ao aos à pelo pela quanto quantos quantas",
    "ro": "și şi în la de pe cu din pentru un o al ai ale a cel cea cei cele este sunt era erau fost fi ce cine când unde cum care câți câte cât de câtă ce-i nu se sa său săi lui ei lor mai sau dar că prin fie au are avea într dintre",
    "ru": "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня еще нет о из ему когда где кто какой какая какое какие каком какого каких кого чем чему чего почему сколько ли или если был была были быть есть это этот эта эти для при до их который которая которые которое",
    "sv": "och i att det en ett som på är av för med till den de var har om inte från vad vem var när hur varför vilken vilka vilket många mycket blev kan ska eller hade",
    "tr": "ve bir bu da de mi mı mu mü ne kim nerede nereden nereye zaman nasıl neden niçin hangi kaç kadar ile için olarak olan oldu olduğu olduğunu çok daha en gibi ya veya ama değil var her şey hangisi kimdir nedir",
    "uk": "і й в у на не що з із як та до за від по це але або чи коли де хто який яка яке які чому скільки був була було були бути є для при його її їх той",
    "vi": "là và của có được cho các những một trong với đã ở từ để này đó gì ai",
}
# fmt: on

LANGUAGES = tuple(_LISTS)


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (`en`); none for a language that has no list."""
    return frozenset(_LISTS.get({"nb": "no", "nn": "no"}.get(language, language), "").split())
