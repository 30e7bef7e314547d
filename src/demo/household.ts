// Households of the demo in which everything fits together: ages, work, home, contracts, and the DIN check of it. There
// are 500; every person has one of them.
import { chance, dateOf, day, oneOf, pick, shareOf, today } from './draw.ts'

type Contract = { sparte: string; status: string | null; wert: number | null } & Record<
  string,
  unknown
>
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

const insurers = [
  'Nordlicht Versicherung AG',
  'Elbsegel Versicherung AG',
  'Lindentor Versicherung',
  'Alpentor Leben',
  'Kranichhof Vorsorge AG',
  'Talwacht Kranken AG',
]

/** What a branch needs, the chance in percent that it is there, the cover it brings, a year's price. */
type Offer = [sparte: string, percent: number, wert: number | null, beitrag: number]

function traitsOf(v: number) {
  const typ = shareOf('type', v, 'allein 41, allein_kind 4, paar 28, familie 27')
  const paar = typ === 'paar' || typ === 'familie'
  const kinder = typ === 'familie' || typ === 'allein_kind' ? 1 + pick('children', v, 3) : 0
  const alter = (kinder ? 27 : 20) + pick('age', v, kinder ? 27 : 58)
  const arbeit =
    'angestellt 65, oeffentlicher_dienst 9, beamter_lebenszeit 7, selbststaendig 8, freiberuflich 3'
  const taetigkeit = (age: number, who: string) =>
    age >= 66
      ? 'rentner'
      : age < 24
        ? 'student'
        : shareOf(`work.${who}`, v, `${arbeit}, elternzeit 8`)
  const kv = (work: string | null) => {
    if (work === 'rentner') return 'gkv_kvdr'
    if (work === 'student') return 'gkv_familie'
    if (work === 'beamter_lebenszeit') return 'pkv_beihilfe'
    return shareOf('health', v, 'gkv_pflicht 84, gkv_freiwillig 8, pkv 8')
  }
  const eigentum = alter >= 27 && chance('home', v, paar ? 62 : 34)
  return { paar, kinder, alter, taetigkeit, kv, eigentum, auto: chance('car', v, 84) }
}

function profileOf(v: number, traits: ReturnType<typeof traitsOf>) {
  const { paar, kinder, alter, taetigkeit, kv, eigentum, auto } = traits
  const person = (rolle: string, age: number) => {
    const work = taetigkeit(age, rolle)
    const earns = work !== 'student' && work !== 'elternzeit'
    return {
      rolle,
      alter: age,
      taetigkeitsstatus: work,
      kv_status: kv(work),
      eigenes_einkommen_vorhanden: earns,
      raucher: chance(`smokes.${rolle}`, v, 22),
    }
  }
  const goal = oneOf('goal', v, ['Eigenheim', 'Weltreise', 'Wohnmobil', 'Renovierung', null, null])
  const loan = eigentum && chance('loan', v, 60) ? 40_000 + 5_000 * pick('loan_left', v, 60) : null
  return {
    haushaltsgroesse: 1 + Number(paar) + kinder,
    kinder_anzahl: kinder,
    beziehungsstatus: paar ? 'verheiratet' : alter > 60 ? 'verwitwet' : 'ledig',
    personen: [
      person('kunde', alter),
      ...(paar ? [person('partner', Math.max(20, alter - 4 + pick('age.partner', v, 9)))] : []),
      ...Array.from({ length: kinder }, (_, child) => ({
        rolle: 'kind',
        alter: pick(`age.child.${child}`, v, 17),
      })),
    ],
    wohnsituation: {
      wohnstatus: eigentum ? 'eigentum_selbstgenutzt' : 'miete',
      gebaeudeart: eigentum
        ? oneOf('home.kind', v, ['einfamilienhaus', 'reihenhaus'])
        : 'mehrfamilienhaus',
      wohnflaeche_qm: 40 + 18 * (1 + kinder + Number(paar)) + pick('home.size', v, 40),
      baujahr: 1905 + pick('home.year', v, 118),
      photovoltaik_vorhanden: eigentum && chance('home.solar', v, 24),
    },
    fahrzeuge: auto
      ? [{ art: 'pkw', anzahl: 1 + Number(paar && chance('car.second', v, 45)) }]
      : [],
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
    ziele: goal
      ? [
          {
            bezeichnung: goal,
            zielbetrag_eur: 10_000 + 5_000 * pick('goal.amount', v, 9),
            zieljahr: 2030,
          },
        ]
      : [],
  }
}

function contractsOf(v: number, traits: ReturnType<typeof traitsOf>, hund: boolean): Contract[] {
  const { alter, kinder, eigentum, auto, taetigkeit, kv } = traits
  const work = taetigkeit(alter, 'kunde')
  const cover = kv(work) ?? ''
  const works = work !== 'rentner' && work !== 'student'
  const offers: Offer[] = [
    ['privathaftpflicht', 88, 1_000_000 * oneOf('liability', v, [3, 5, 10, 20, 50]), 68.4],
    ['hausrat', 84, 1_000 * (20 + pick('contents', v, 60)), 94.2],
    ['wohngebaeude', eigentum ? 96 : 0, 10_000 * (25 + pick('building', v, 30)), 412.8],
    ['kfz_haftpflicht', auto ? 99 : 0, 100_000_000, 318.6],
    ['kfz_kasko', auto ? 70 : 0, 500 * (8 + pick('car.value', v, 60)), 276.1],
    ['rechtsschutz', 50, null, 248.9],
    ['unfall', 45, 25_000 * (2 + pick('accident', v, 13)), 118.3],
    ['tierhalterhaftpflicht', hund ? 82 : 0, 10_000_000, 61.5],
    [
      'berufsunfaehigkeit',
      works && work !== 'beamter_lebenszeit' ? 46 : 0,
      800 + 100 * pick('bu', v, 18),
      742.8,
    ],
    ['dienstunfaehigkeit', work === 'beamter_lebenszeit' ? 52 : 0, 1_500, 690],
    ['risikoleben', kinder ? 44 : 8, 50_000 * (1 + pick('death', v, 6)), 186.4],
    ['bav', works ? 36 : 0, 100 + 25 * pick('bav', v, 20), 1_200],
    ['riester', works ? 26 : 0, 50 + 15 * pick('riester', v, 20), 925],
    ['private_rente', 24, 100 + 25 * pick('rente', v, 20), 1_440],
    ['fondssparplan', 20, 2_000 + 1_000 * pick('saving', v, 18), 1_200],
    ['bausparvertrag', 22, 5_000 + 2_500 * pick('bauspar', v, 12), 600],
    ['krankenvoll_pkv', cover.startsWith('pkv') ? 100 : 0, null, 5_180.4],
    ['krankenzusatz_zahn', cover.startsWith('gkv') ? 33 : 0, null, 214.8],
    ['krankentagegeld', works ? 12 : 0, 900 + 150 * pick('sick', v, 10), 168],
    ['auslandsreisekranken', 48, null, 19.8],
    ['pflegezusatz', alter > 40 ? 10 : 3, 600 + 100 * pick('care', v, 10), 264],
  ]
  return offers
    .filter(([sparte, percent]) => chance(`contract.${sparte}`, v, percent))
    .map(([sparte, , wert, beitrag]) => ({
      sparte,
      versicherer: oneOf(`insurer.${sparte}`, v, insurers),
      status: shareOf(`status.${sparte}`, v, 'aktiv 92, gekuendigt 4, beantragt 2, angebot 2'),
      vertragsnummer: `${sparte.slice(0, 2).toUpperCase()}-${10_000_000 + pick(sparte, v, 89_999_999)}`,
      beginn: dateOf(
        today - day * (60 + pick(`start.${sparte}`, v, 365 * Math.max(1, alter - 18))),
      ),
      beitrag_eur: Math.round(beitrag * (70 + pick(`price.${sparte}`, v, 80))) / 100,
      zahlweise: shareOf(`terms.${sparte}`, v, 'jaehrlich 40, monatlich 50, halbjaehrlich 10'),
      quelle: shareOf(`origin.${sparte}`, v, 'gespraech 45, dokument 25, crm_import 22, manuell 8'),
      wert,
    }))
}

function rowOf(v: number, { rang, name, stufe, soll, sparten }: Topic, contracts: Contract[]) {
  const counted = contracts.filter(
    ({ sparte, status }) => sparten.includes(sparte) && status === 'aktiv',
  )
  const ist = soll === null ? null : counted.reduce((sum, { wert }) => sum + (wert ?? 0), 0)
  const relevant = counted.length > 0 || chance(`relevant.${rang}`, v, stufe === 1 ? 55 : 70)
  const unknown = relevant && counted.length === 0 && chance(`unknown.${rang}`, v, 14)
  const covered = soll === null ? counted.length > 0 : (ist ?? 0) >= soll
  const known = covered ? 'erfuellt' : ist ? 'teilweise' : 'luecke'
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
      wert_eur: unknown ? null : ist,
      beschreibung: counted.length > 0 ? null : 'keine Absicherung bekannt',
      quellen: counted.map(({ sparte, wert }) => ({
        typ: 'vertrag',
        pfad: `vertraege[${contracts.findIndex(contract => contract.sparte === sparte)}]`,
        wert_eur: wert,
      })),
    },
  }
}

function makeHousehold(v: number) {
  const traits = traitsOf(v)
  const haushalt = profileOf(v, traits)
  const contracts = contractsOf(v, traits, haushalt.tiere.length > 0)
  const zeilen = topics.map(topic => rowOf(v, topic, contracts))
  const open = zeilen.filter(({ status }) => status === 'luecke' || status === 'teilweise')
  return {
    alter: traits.alter,
    haushalt,
    vertraege: contracts.map(({ wert, ...contract }) => ({
      ...contract,
      leistungen: wert === null ? {} : { deckungssumme_eur: wert },
    })),
    zeilen,
    luecken_nach_stufe: [1, 2, 3].map(stufe => ({
      stufe,
      themen: open.filter(row => row.bedarfsstufe === stufe).map(({ name }) => name),
    })),
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
