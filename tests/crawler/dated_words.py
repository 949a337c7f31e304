"""How a dozen languages say a day, and what they say of days that are none of publication."""

from dataclasses import dataclass

from tests.crawler.reading_pages import paragraphs


@dataclass(frozen=True)
class Words:
    """How a language says the 14th of August 2025, and what it says of such a day that is no day of publication."""

    day: str
    occasion: str  # a sentence about an event, with {} for the day
    label: str  # what stands before the day of an event
    deadline: str
    life: str
    member: str
    told: str  # how a paragraph of the text begins that tells what happened that day
    changed: str
    prose: str

    def noise(self) -> dict[str, str]:
        """Bodies of pages, by what the only date on them is."""
        title, day = "<h1>Millbrook</h1>", self.day
        text = paragraphs(self.prose, self.prose)
        article = f"<article>{title}{text}</article>"
        return {
            "an event": f"<article>{title}<p>{self.occasion.format(day)}</p>{text}</article>",
            "an event above the title": f"<article><p>{self.occasion.format(day)}</p>{title}{text}</article>",
            "a labelled event": f'<article>{title}<div class="date">{self.label}: {day}</div>{text}</article>',
            "a labelled event in a list": (
                f"<article>{title}<dl><dt>{self.label}</dt><dd>{day}</dd></dl>{text}</article>"
            ),
            "a labelled event in a table": (
                f"<article>{title}<table><tr><th>{self.label}</th><td>{day}</td></tr></table>{text}</article>"
            ),
            "an event's named date": f'<article>{title}<div class="event-date">{day}</div>{text}</article>',
            "a deadline": f"<article>{title}<p>{self.deadline} {day}</p>{text}</article>",
            "a deadline below the text": f"<article>{title}{text}<p>{self.deadline} {day}</p></article>",
            "an event at the end": f"<article>{title}{text}<p>{self.occasion.format(day)}</p></article>",
            "a life": f"<article>{title}<p>{self.life} {day}</p>{text}</article>",
            "a member": (
                f'{article}<div class="author-box"><b>Anna</b> <span class="date">{self.member} {day}</span></div>'
            ),
            "a day told of": f"<article>{title}<p>{self.told.format(day)} {self.prose}</p>{text}</article>",
            "a copyright": f"{article}<footer><p>© {day} Millbrook</p></footer>",
            "a copyright in a plain element": f"{article}<div><p>Copyright {day} Millbrook</p></div>",
            "a list of other stories": f'{article}<div class="list"><a href="/o">Brücke</a> <span>{day}</span></div>',
            "a list with dates by name": (
                f'{article}<ul class="news-list"><li><span class="date">{day}</span> <a href="/o">Other</a></li>'
                f'<li><span class="date">{day}</span> <a href="/p">Third</a></li></ul>'
            ),
            "other stories before the title": (
                f'<div class="latest"><a href="/o">Other</a> <span class="date">{day}</span></div>'
                f"<main>{article}</main>"
            ),
            "a comment": f'{article}<div class="comment"><b>Anna</b> <span class="date">{day}</span> <p>Yes.</p></div>',
            "a list of comments": (
                f'{article}<section id="comments"><ol><li><p>Anna, {day}</p><p>Yes.</p></li></ol></section>'
            ),
            "a caption": (
                f"<article>{title}<figure><img src='a'><figcaption>Foto, {day}</figcaption></figure>{text}</article>"
            ),
            "a change": f'<article>{title}{text}<p class="date">{self.changed} {day}</p></article>',
            "a quotation": f"<article>{title}<blockquote><p>{day}</p></blockquote>{text}</article>",
        }  # fmt: skip


LANGUAGES = {
    "en": Words(
        "14 August 2025", "The fair opens on {} at noon.", "When", "Apply by", "Born", "Member since",
        "On {} the council decided about the bridge.", "Last updated",
        "The council looked at the price of a berth last year and left it as it was, which pleased the fishermen, who "
        "had written a long letter about it to the office of the harbour.",
    ),
    "de": Words(
        "14. August 2025", "Das Fest beginnt am {} um zwölf.", "Termin", "Anmeldeschluss:", "Geboren am",
        "Mitglied seit",
        "Am {} entschied der Rat über die Brücke.", "Zuletzt geändert am",
        "Der Rat hat den Preis eines Liegeplatzes im letzten Jahr geprüft und so belassen, was die Fischer freute, die "
        "dem Amt des Hafens darüber einen langen Brief geschrieben hatten.",
    ),
    "fr": Words(
        "14 août 2025", "La fête ouvre le {} à midi.", "Quand", "Date limite :", "Né le", "Membre depuis le",
        "Le {}, le conseil a décidé du pont.", "Mis à jour le",
        "Le conseil a examiné le prix d'une place au port l'année dernière et l'a laissé tel quel, ce qui a plu aux "
        "pêcheurs, qui avaient écrit une longue lettre à la capitainerie.",
    ),
    "es": Words(
        "14 de agosto de 2025", "La feria abre el {} a mediodía.", "Cuándo", "Plazo hasta el", "Nació el",
        "Miembro desde el", "El {} el consejo decidió sobre el puente.", "Actualizado el",
        "El consejo revisó el precio de un amarre el año pasado y lo dejó como estaba, lo que gustó a los pescadores, "
        "que habían escrito una larga carta a la oficina del puerto.",
    ),
    "it": Words(
        "14 agosto 2025", "La fiera apre il {} a mezzogiorno.", "Quando", "Scadenza:", "Nato il", "Iscritto dal",
        "Il {} il consiglio ha deciso sul ponte.", "Aggiornato il",
        "Il consiglio ha guardato il prezzo di un posto barca l'anno scorso e lo ha lasciato com'era, cosa che piacque "
        "ai pescatori, che avevano scritto una lunga lettera all'ufficio del porto.",
    ),
    "pt": Words(
        "14 de agosto de 2025", "A feira começa em {} ao meio-dia.", "Quando", "Prazo até", "Nascido em",
        "Membro desde", "Em {} o conselho decidiu sobre a ponte.", "Atualizado em",
        "O conselho olhou para o preço de um lugar no porto no ano passado e deixou-o como estava, o que agradou aos "
        "pescadores, que tinham escrito uma longa carta ao escritório.",
    ),
    "nl": Words(
        "14 augustus 2025", "De markt opent op {} om twaalf uur.", "Wanneer", "Uiterlijk", "Geboren op", "Lid sinds",
        "Op {} besloot de raad over de brug.", "Bijgewerkt op",
        "De raad bekeek vorig jaar de prijs van een ligplaats en liet die zoals hij was, wat de vissers beviel, die "
        "een lange brief aan het kantoor van de haven hadden geschreven.",
    ),
    "sv": Words(
        "14 augusti 2025", "Marknaden öppnar {} klockan tolv.", "När", "Sista ansökningsdag:", "Född", "Medlem sedan",
        "Den {} beslutade rådet om bron.", "Senast ändrad",
        "Rådet såg över priset på en båtplats förra året och lät det vara som det var, vilket gladde fiskarna, som "
        "hade skrivit ett långt brev till hamnens kontor om saken.",
    ),
    "pl": Words(
        "14 sierpnia 2025", "Targ otwiera się {} w południe.", "Kiedy", "Termin:", "Urodzony", "Członek od",
        "Dnia {} rada zdecydowała o moście.", "Zaktualizowano",
        "Rada przejrzała w zeszłym roku cenę miejsca w porcie i zostawiła ją bez zmian, co ucieszyło rybaków, którzy "
        "napisali w tej sprawie długi list do biura portu.",
    ),
    "ru": Words(
        "14 августа 2025", "Ярмарка начинается {} в полдень.", "Когда", "Срок до", "Родился", "Участник с",
        "В среду, {}, совет решил о мосте.", "Обновлено",
        "Совет в прошлом году посмотрел на цену стоянки и оставил её прежней, что обрадовало рыбаков, которые написали "
        "об этом длинное письмо в контору порта.",
    ),
    "ja": Words(
        "2025年8月14日", "祭りは{}に開幕します。", "日時", "締切", "生まれ", "登録日",
        "{}、議会は橋について決めました。", "更新",
        "議会は昨年、係留料を見直しましたが、そのままにしました。漁師たちは港の事務所に長い手紙を書いていたので、とても喜びました。",
    ),
    "zh": Words(
        "2025年8月14日", "集市于{}中午开幕。", "活动时间", "截止日期", "出生", "注册时间",
        "{}，议会就大桥作出了决定。", "更新时间",
        "议会去年研究了泊位的价格，决定维持不变，这让渔民们十分高兴，他们曾为此给港口办公室写过一封很长的信。",
    ),
    "ar": Words(
        "14 أغسطس 2025", "يفتتح المعرض في {} ظهرا.", "متى", "آخر موعد", "ولد في", "عضو منذ",
        "في {} قرر المجلس بشأن الجسر.", "آخر تحديث",
        "نظر المجلس في العام الماضي في سعر المرسى وتركه كما هو، الأمر الذي أسعد الصيادين الذين كتبوا رسالة طويلة إلى "
        "مكتب الميناء في هذا الشأن.",
    ),
}  # fmt: skip
