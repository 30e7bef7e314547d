// Households of the demo in which everything fits together: ages, work, home, contracts, and the DIN check of it. There
// are 500; every person has one of them.
import { chance, dateOf, day, oneOf, pick, shareOf, today } from './draw.ts'

type Topic = { rang: number; name: string; stufe: number; soll: number | null; sparten: string[] }

/** rang | topic of DIN 77230 | level of need | target (E: 1,450 a month; empty: yes or no) | branches that count. */
const topics: Topic[] = `1|Kostenrisiko Krankheit (Grundschutz)|1||krankenvoll_pkv
2|Allgemeines Haftungsrisiko|1|10000000|privathaftpflicht
3|Arbeitskraftverlust Erwerbsunfähigkeit (Grundschutz)|1|1450|berufsunfaehigkeit
4|Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Grundschutz)|1|1450|berufsunfaehigkeit,dienstunfaehigkeit
5|Arbeitskraftverlust Arbeitsunfähigkeit (Grundschutz)|1|1450|krankentagegeld
6|Kostenrisiko Pflegebedürftigkeit (Grundschutz)|1|900|pflegezusatz
7|Todesfallbedingte finanzielle Einbußen (Grundschutz)|1|87000|risikoleben,kapitalleben
8|Haftungsrisiko Kraftfahrzeuge|1|7500000|kfz_haftpflicht
9|Haftungsrisiko private Tierhaltung|1|10000000|tierhalterhaftpflicht
10|Haftungsrisiko Haus- und Grundbesitz|1|10000000|haus_grundbesitzerhaftpflicht
11|Haftungsrisiko Bau und Sanierung|1|5000000|bauherrenhaftpflicht
12|Haftungsrisiko Gewässerschäden|1|5000000|gewaesserschadenhaftpflicht
13|Haftungsrisiko Photovoltaikanlage|1|5000000|photovoltaik
14|Haftungsrisiko Jagd|1|3000000|jagdhaftpflicht
15|Haftungsrisiko Luftfahrzeuge|1|3000000|drohnenhaftpflicht
16|Haftungsrisiko Wasserfahrzeuge|1|3000000|wassersporthaftpflicht
17|Sachwertrisiko Wohngebäude|1|420000|wohngebaeude
18|Sachwertrisiko Gebäude im Bau|1|250000|bauleistung
19|Kostenrisiko Krankheit im Ausland|1||auslandsreisekranken,krankenvoll_pkv
20|Liquiditätsreserve (Grundbedarf)|1|4350|
21|Altersvorsorge (Grundbedarf)|1|1450|bav,riester,basisrente,private_rente
22|Verschuldung|1|0|
23|Arbeitskraftverlust Erwerbsunfähigkeit (Lebensstandard)|2|2100|berufsunfaehigkeit
24|Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Lebensstandard)|2|2100|berufsunfaehigkeit,dienstunfaehigkeit
25|Arbeitskraftverlust Arbeitsunfähigkeit (Lebensstandard)|2|2100|krankentagegeld
26|Kostenrisiko Pflegebedürftigkeit (Lebensstandard)|2|1800|pflegezusatz
27|Todesfallbedingte finanzielle Einbußen (Lebensstandard)|2|180000|risikoleben,kapitalleben
28|Unfallfolgen / Invalidität Erwachsene|2|200000|unfall
29|Invalidität Kinder|2|100000|kinderinvaliditaet
30|Sachwertrisiko Hausrat|2|55000|hausrat
31|Sachwertrisiko Kraftfahrzeug|2|16000|kfz_kasko
32|Kostenrisiko Rechtsstreitigkeiten|2||rechtsschutz
33|Liquiditätsreserve (Lebensstandard)|2|7500|
34|Zinsänderungsrisiko Immobiliendarlehen|2|30000|bausparvertrag
35|Altersvorsorge (Lebensstandard)|2|2300|bav,riester,basisrente,private_rente
36|Ersatzbeschaffung Kraftfahrzeug|2|9000|
37|Instandhaltung selbstgenutzte Immobilie|2|12000|bausparvertrag
38|Ausbildung der Kinder|2|15000|fondssparplan
39|Zahnersatz|2||krankenzusatz_zahn,krankenvoll_pkv
40|Stationäre Komfortleistungen|2||krankenzusatz_stationaer,krankenvoll_pkv
41|Eigenkapital selbstgenutztes Wohneigentum|3|50000|bausparvertrag,fondssparplan
42|Individuelle Sparziele|3|20000|fondssparplan`
  .split('\n')
  .map(line => {
    const [rang, name = '', stufe, soll, sparten = ''] = line.split('|')
    return {
      rang: Number(rang),
      name,
      stufe: Number(stufe),
      soll: soll ? Number(soll) : null,
      sparten: sparten.split(',').filter(Boolean),
    }
  })

/** branch | chance in percent | cover, drawn around it | price of a year | which households may have it. */
const offers = `privathaftpflicht|88|10000000|68.4|
hausrat|84|50000|94.2|
wohngebaeude|96|420000|412.8|eigentum
kfz_haftpflicht|99|100000000|318.6|auto
kfz_kasko|70|16000|276.1|auto
rechtsschutz|50||248.9|
unfall|45|200000|118.3|
tierhalterhaftpflicht|82|10000000|61.5|hund
berufsunfaehigkeit|46|1600|742.8|angestellt
dienstunfaehigkeit|52|1500|690|beamter_lebenszeit
risikoleben|44|180000|186.4|kinder
bav|36|300|1200|angestellt
riester|26|200|925|angestellt
private_rente|24|400|1440|
fondssparplan|20|12000|1200|
bausparvertrag|22|25000|600|
krankenvoll_pkv|100||5180.4|beamter_lebenszeit
krankenzusatz_zahn|33||214.8|angestellt
krankentagegeld|12|1450|168|angestellt
auslandsreisekranken|48||19.8|
pflegezusatz|10|900|264|`
  .split('\n')
  .map(line => line.split('|') as [string, string, string, string, string])

const insurers = [
  'Nordlicht Versicherung AG',
  'Lindentor Versicherung',
  'Alpentor Leben',
  'Kranichhof Vorsorge AG',
  'Talwacht Kranken AG',
]

function peopleOf(v: number, alter: number, paar: boolean, kinder: number) {
  const adult = (rolle: string, age: number) => {
    const shares = 'angestellt 78, beamter_lebenszeit 8, selbststaendig 10, elternzeit 4'
    const work = age >= 66 ? 'rentner' : (shareOf(`work.${rolle}`, v, shares) ?? '')
    const kv: Record<string, string> = { rentner: 'gkv_kvdr', beamter_lebenszeit: 'pkv_beihilfe' }
    return {
      rolle,
      alter: age,
      taetigkeitsstatus: work,
      kv_status: kv[work] ?? 'gkv_pflicht',
      eigenes_einkommen_vorhanden: work !== 'elternzeit',
    }
  }
  const children = Array.from({ length: kinder }, (_, n) => ({
    rolle: 'kind',
    alter: pick(`child.${n}`, v, 17),
  }))
  const partner = paar
    ? [adult('partner', Math.max(20, alter - 4 + pick('age.partner', v, 9)))]
    : []
  return [adult('kunde', alter), ...partner, ...children]
}

function profileOf(v: number) {
  const typ = shareOf('type', v, 'allein 41, allein_kind 4, paar 28, familie 27') ?? ''
  const paar = /paar|familie/.test(typ)
  const kinder = /familie|kind/.test(typ) ? 1 + pick('children', v, 3) : 0
  const alter = (kinder ? 27 : 22) + pick('age', v, kinder ? 27 : 55)
  const eigentum = alter >= 27 && chance('home', v, paar ? 62 : 34)
  const loan = eigentum && chance('loan', v, 60) ? 40_000 + 5_000 * pick('loan_left', v, 60) : 0
  const goal = oneOf('goal', v, ['Eigenheim', 'Weltreise', 'Wohnmobil', 'Renovierung'])
  return {
    haushaltsgroesse: 1 + Number(paar) + kinder,
    kinder_anzahl: kinder,
    beziehungsstatus: paar ? 'verheiratet' : alter > 60 ? 'verwitwet' : 'ledig',
    personen: peopleOf(v, alter, paar, kinder),
    wohnsituation: {
      wohnstatus: eigentum ? 'eigentum_selbstgenutzt' : 'miete',
      gebaeudeart: eigentum
        ? oneOf('building', v, ['einfamilienhaus', 'reihenhaus'])
        : 'mehrfamilienhaus',
      wohnflaeche_qm: 40 + 18 * (1 + kinder + Number(paar)) + pick('size', v, 40),
      baujahr: 1905 + pick('year', v, 118),
    },
    fahrzeuge: chance('car', v, 84) ? [{ art: 'pkw', anzahl: 1 }] : [],
    tiere: chance('dog', v, 18) ? [{ art: 'hund', anzahl: 1 }] : [],
    verbindlichkeiten: loan
      ? [
          {
            art: 'immobiliendarlehen',
            restschuld_eur: loan,
            rate_monat_eur: Math.round(loan / 240),
          },
        ]
      : [],
    vermoegen: [{ art: 'liquide_mittel', wert_eur: 500 * pick('cash', v, 50) }],
    ziele: [
      { bezeichnung: goal, zielbetrag_eur: 10_000 + 5_000 * pick('amount', v, 9), zieljahr: 2030 },
    ],
  }
}

function contractsOf(v: number, haushalt: ReturnType<typeof profileOf>) {
  const traits = [
    ...(haushalt.fahrzeuge.length ? ['auto'] : []),
    ...(haushalt.tiere.length ? ['hund'] : []),
    ...(haushalt.kinder_anzahl ? ['kinder'] : []),
    ...(haushalt.wohnsituation.wohnstatus === 'miete' ? [] : ['eigentum']),
    ...haushalt.personen
      .slice(0, 1)
      .map(person => ('taetigkeitsstatus' in person ? person.taetigkeitsstatus : '')),
  ]
  return offers
    .filter(([, , , , trait]) => trait === '' || traits.includes(trait))
    .filter(([sparte, percent]) => chance(`contract.${sparte}`, v, Number(percent)))
    .map(([sparte, , wert, beitrag]) => ({
      sparte,
      versicherer: oneOf(`insurer.${sparte}`, v, insurers),
      status: shareOf(`status.${sparte}`, v, 'aktiv 92, gekuendigt 4, beantragt 2, angebot 2'),
      vertragsnummer: `${sparte.slice(0, 2).toUpperCase()}-${10_000_000 + pick(sparte, v, 89_999_999)}`,
      beginn: dateOf(today - day * (60 + pick(`start.${sparte}`, v, 4_000))),
      beitrag_eur: Math.round(Number(beitrag) * (70 + pick(`price.${sparte}`, v, 80))) / 100,
      zahlweise: shareOf(`terms.${sparte}`, v, 'jaehrlich 40, monatlich 50, halbjaehrlich 10'),
      quelle: shareOf(`origin.${sparte}`, v, 'gespraech 45, dokument 25, crm_import 22, manuell 8'),
      leistungen: wert
        ? { deckungssumme_eur: Number(wert) * oneOf(`cover.${sparte}`, v, [0.5, 0.8, 1, 1.5]) }
        : {},
    }))
}

function rowOf(v: number, topic: Topic, contracts: ReturnType<typeof contractsOf>) {
  const { rang, name, stufe, soll } = topic
  const counted = contracts.filter(
    ({ sparte, status }) => topic.sparten.includes(sparte) && status === 'aktiv',
  )
  const ist = counted.reduce((sum, { leistungen }) => sum + (leistungen.deckungssumme_eur ?? 0), 0)
  const relevant = counted.length > 0 || chance(`relevant.${rang}`, v, 62)
  const unknown = counted.length === 0 && chance(`unknown.${rang}`, v, 14)
  const known = (soll === null ? counted.length > 0 : ist >= soll)
    ? 'erfuellt'
    : ist
      ? 'teilweise'
      : 'luecke'
  return {
    rang: String(rang),
    name,
    bedarfsstufe: stufe,
    in_analyse: true,
    relevant,
    relevanz_quelle:
      counted.length > 0 ? 'vertrag' : oneOf(`why.${rang}`, v, ['regel', 'kundenangabe']),
    status: !relevant ? 'nicht_relevant' : unknown ? 'unbekannt' : known,
    sollwert: {
      typ: soll === null ? 'deckung_ja_nein' : 'absolut',
      wert_eur: soll,
      einheit: soll === null ? 'ja_nein' : soll < 5_000 ? 'eur_monat' : 'eur',
      beschreibung: soll === null ? 'Vertrag vorhanden' : 'Zielwert nach DIN 77230',
    },
    istwert: {
      wert_eur: unknown || soll === null ? null : ist,
      beschreibung: counted.length > 0 ? null : 'keine Absicherung bekannt',
      quellen: counted.map(contract => ({
        typ: 'vertrag',
        pfad: `vertraege[${contracts.indexOf(contract)}]`,
      })),
    },
  }
}

function makeHousehold(v: number) {
  const haushalt = profileOf(v)
  const vertraege = contractsOf(v, haushalt)
  const zeilen = topics.map(topic => rowOf(v, topic, vertraege))
  const open = zeilen.filter(({ status }) => status === 'luecke' || status === 'teilweise')
  const themen = (stufe: number) =>
    open.filter(row => row.bedarfsstufe === stufe).map(({ name }) => name)
  return {
    alter: haushalt.personen[0]?.alter ?? 0,
    haushalt,
    vertraege,
    zeilen,
    luecken_nach_stufe: [1, 2, 3].map(stufe => ({ stufe, themen: themen(stufe) })),
    unbekannt_in_analyse: zeilen.filter(row => row.status === 'unbekannt').map(({ name }) => name),
    empfehlungen: open.slice(0, 5).map(({ name, bedarfsstufe }) => ({ thema: name, bedarfsstufe })),
  }
}

const made = new Map<number, ReturnType<typeof makeHousehold>>()

export function householdOf(v: number) {
  const household = made.get(v) ?? makeHousehold(v)
  made.set(v, household)
  return household
}

/** The parameters that a check of that time was made with. */
const paramsVersion = (at: string) =>
  at < '2025-07' ? '2025.1' : at < '2026' ? '2025.2' : '2026.1'

export function checkOf(v: number, erstellt_am: string) {
  const { zeilen, luecken_nach_stufe, unbekannt_in_analyse } = householdOf(v)
  const params_version = paramsVersion(erstellt_am)
  return {
    erstellt_am,
    bewertung: {
      params_version,
      engine_version: '1.4.2',
      zeilen,
      luecken_nach_stufe,
      unbekannt_in_analyse,
    },
  }
}
