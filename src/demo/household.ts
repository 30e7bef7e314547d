// Households of the demo in which everything fits together: ages, work, home, contracts, and the DIN check of it. There
// are 500; every person has one of them.
import { chance, day, iso, listOf, oneOf, pick, shareOf, today } from './draw.ts'

type Topic = { rang: number; name: string; stufe: number; soll: number | null; sparten: string[] }

/** Topics of DIN 77230 in the order of their rank: name | target (empty: yes or no) | branches that count. */
const topics: Topic[] = listOf(`Kostenrisiko Krankheit (Grundschutz)||krankenvoll_pkv;
  Allgemeines Haftungsrisiko|10000000|privathaftpflicht;
  Arbeitskraftverlust Erwerbsunfähigkeit (Grundschutz)|1450|berufsunfaehigkeit;
  Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Grundschutz)|1450|berufsunfaehigkeit,dienstunfaehigkeit;
  Arbeitskraftverlust Arbeitsunfähigkeit (Grundschutz)|1450|krankentagegeld;
  Kostenrisiko Pflegebedürftigkeit (Grundschutz)|900|pflegezusatz;
  Todesfallbedingte finanzielle Einbußen (Grundschutz)|87000|risikoleben,kapitalleben;
  Haftungsrisiko Kraftfahrzeuge|7500000|kfz_haftpflicht;
  Haftungsrisiko private Tierhaltung|10000000|tierhalterhaftpflicht;
  Haftungsrisiko Haus- und Grundbesitz|10000000|haus_grundbesitzerhaftpflicht;
  Haftungsrisiko Bau und Sanierung|5000000|bauherrenhaftpflicht;
  Haftungsrisiko Gewässerschäden|5000000|gewaesserschadenhaftpflicht;
  Haftungsrisiko Photovoltaikanlage|5000000|photovoltaik;
  Haftungsrisiko Jagd|3000000|jagdhaftpflicht;
  Haftungsrisiko Luftfahrzeuge|3000000|drohnenhaftpflicht;
  Haftungsrisiko Wasserfahrzeuge|3000000|wassersporthaftpflicht;
  Sachwertrisiko Wohngebäude|420000|wohngebaeude; Sachwertrisiko Gebäude im Bau|250000|bauleistung;
  Kostenrisiko Krankheit im Ausland||auslandsreisekranken,krankenvoll_pkv;
  Liquiditätsreserve (Grundbedarf)|4350|;
  Altersvorsorge (Grundbedarf)|1450|bav,riester,basisrente,private_rente; Verschuldung|0|;
  Arbeitskraftverlust Erwerbsunfähigkeit (Lebensstandard)|2100|berufsunfaehigkeit;
  Arbeitskraftverlust Berufs-/Dienstunfähigkeit (Lebensstandard)|2100|berufsunfaehigkeit,dienstunfaehigkeit;
  Arbeitskraftverlust Arbeitsunfähigkeit (Lebensstandard)|2100|krankentagegeld;
  Kostenrisiko Pflegebedürftigkeit (Lebensstandard)|1800|pflegezusatz;
  Todesfallbedingte finanzielle Einbußen (Lebensstandard)|180000|risikoleben,kapitalleben;
  Unfallfolgen / Invalidität Erwachsene|200000|unfall; Invalidität Kinder|100000|kinderinvaliditaet;
  Sachwertrisiko Hausrat|55000|hausrat; Sachwertrisiko Kraftfahrzeug|16000|kfz_kasko;
  Kostenrisiko Rechtsstreitigkeiten||rechtsschutz; Liquiditätsreserve (Lebensstandard)|7500|;
  Zinsänderungsrisiko Immobiliendarlehen|30000|bausparvertrag;
  Altersvorsorge (Lebensstandard)|2300|bav,riester,basisrente,private_rente;
  Ersatzbeschaffung Kraftfahrzeug|9000|;
  Instandhaltung selbstgenutzte Immobilie|12000|bausparvertrag;
  Ausbildung der Kinder|15000|fondssparplan; Zahnersatz||krankenzusatz_zahn,krankenvoll_pkv;
  Stationäre Komfortleistungen||krankenzusatz_stationaer,krankenvoll_pkv;
  Eigenkapital selbstgenutztes Wohneigentum|50000|bausparvertrag,fondssparplan;
  Individuelle Sparziele|20000|fondssparplan`).map(([name = '', soll, sparten = ''], index) => ({
  rang: index + 1,
  name,
  stufe: index < 22 ? 1 : index < 40 ? 2 : 3,
  soll: soll ? Number(soll) : null,
  sparten: sparten.split(','),
}))

/** branch | chance in percent | cover, drawn around it | price of a year | which households may have it. */
const offers = listOf(`privathaftpflicht|88|10000000|68.4; hausrat|84|50000|94.2;
  wohngebaeude|96|420000|412.8|eigentum; kfz_haftpflicht|99|100000000|318.6|auto;
  kfz_kasko|70|16000|276.1|auto; rechtsschutz|50||248.9; unfall|45|200000|118.3;
  tierhalterhaftpflicht|82|10000000|61.5|hund; berufsunfaehigkeit|46|1600|742.8|angestellt;
  dienstunfaehigkeit|52|1500|690|beamter_lebenszeit; risikoleben|44|180000|186.4|kinder;
  bav|36|300|1200|angestellt; riester|26|200|925|angestellt; private_rente|24|400|1440;
  fondssparplan|20|12000|1200; bausparvertrag|22|25000|600;
  krankenvoll_pkv|100||5180.4|beamter_lebenszeit; krankenzusatz_zahn|33||214.8|angestellt;
  krankentagegeld|12|1450|168|angestellt; auslandsreisekranken|48||19.8; pflegezusatz|10|900|264`)

const insurers = ['Nordlicht Versicherung AG', 'Lindentor Versicherung', 'Alpentor Leben']

function adult(v: number, rolle: string, alter: number) {
  const shares = 'angestellt 78, beamter_lebenszeit 8, selbststaendig 10, elternzeit 4'
  const taetigkeitsstatus = alter >= 66 ? 'rentner' : shareOf(`work.${rolle}`, v, shares)
  const kv_status = taetigkeitsstatus === 'beamter_lebenszeit' ? 'pkv_beihilfe' : 'gkv_pflicht'
  const eigenes_einkommen_vorhanden = taetigkeitsstatus !== 'elternzeit'
  return { rolle, alter, taetigkeitsstatus, kv_status, eigenes_einkommen_vorhanden }
}

function profileOf(v: number) {
  const typ = shareOf('type', v, 'allein 41, allein_kind 4, paar 28, familie 27')
  const paar = /paar|familie/.test(typ)
  const kinder = /familie|kind/.test(typ) ? 1 + pick('children', v, 3) : 0
  const alter = (kinder ? 27 : 22) + pick('age', v, kinder ? 27 : 55)
  const eigentum = alter >= 27 && chance('home', v, paar ? 62 : 34)
  const loan = eigentum && chance('loan', v, 60) ? 40_000 + 5_000 * pick('loan_left', v, 60) : 0
  const partner = paar
    ? [adult(v, 'partner', Math.max(20, alter - 4 + pick('age.partner', v, 9)))]
    : []
  const child = (_: unknown, n: number) => ({ rolle: 'kind', alter: pick(`child.${n}`, v, 17) })
  const house = oneOf('building', v, ['einfamilienhaus', 'reihenhaus'])
  const rate_monat_eur = Math.round(loan / 240)
  const debt = { art: 'immobiliendarlehen', restschuld_eur: loan, rate_monat_eur }
  return {
    haushaltsgroesse: 1 + Number(paar) + kinder,
    kinder_anzahl: kinder,
    beziehungsstatus: paar ? 'verheiratet' : alter > 60 ? 'verwitwet' : 'ledig',
    personen: [adult(v, 'kunde', alter), ...partner, ...Array.from({ length: kinder }, child)],
    wohnsituation: {
      wohnstatus: eigentum ? 'eigentum_selbstgenutzt' : 'miete',
      gebaeudeart: eigentum ? house : 'mehrfamilienhaus',
      wohnflaeche_qm: 40 + 18 * (1 + kinder + Number(paar)) + pick('size', v, 40),
      baujahr: 1905 + pick('year', v, 118),
    },
    fahrzeuge: chance('car', v, 84) ? [{ art: 'pkw', anzahl: 1 }] : [],
    tiere: chance('dog', v, 18) ? [{ art: 'hund', anzahl: 1 }] : [],
    verbindlichkeiten: loan ? [debt] : [],
    vermoegen: [{ art: 'liquide_mittel', wert_eur: 500 * pick('cash', v, 50) }],
    ziele: [{ bezeichnung: oneOf('goal', v, ['Eigenheim', 'Weltreise']), zieljahr: 2030 }],
  }
}

function contractsOf(v: number, haushalt: ReturnType<typeof profileOf>) {
  const [kunde] = haushalt.personen
  const traits = [
    kunde && 'taetigkeitsstatus' in kunde ? kunde.taetigkeitsstatus : '',
    haushalt.fahrzeuge.length && 'auto',
    haushalt.tiere.length && 'hund',
    haushalt.kinder_anzahl && 'kinder',
    haushalt.wohnsituation.wohnstatus !== 'miete' && 'eigentum',
  ]
  return offers
    .filter(([, , , , trait]) => !trait || traits.includes(trait))
    .filter(([sparte, percent]) => chance(`contract.${sparte}`, v, Number(percent)))
    .map(([sparte = '', , wert, beitrag]) => {
      const number = 10_000_000 + pick(sparte, v, 89_999_999)
      const cover = Number(wert) * oneOf(`cover.${sparte}`, v, [0.5, 0.8, 1, 1.5])
      return {
        sparte,
        versicherer: oneOf(`insurer.${sparte}`, v, insurers),
        status: shareOf(`status.${sparte}`, v, 'aktiv 92, gekuendigt 4, beantragt 2, angebot 2'),
        vertragsnummer: `${sparte.slice(0, 2).toUpperCase()}-${number}`,
        beginn: iso(today - day * (60 + pick(`start.${sparte}`, v, 4_000))).slice(0, 10),
        beitrag_eur: Math.round(Number(beitrag) * (70 + pick(`price.${sparte}`, v, 80))) / 100,
        zahlweise: shareOf(`terms.${sparte}`, v, 'jaehrlich 40, monatlich 50, halbjaehrlich 10'),
        quelle: shareOf(`origin.${sparte}`, v, 'gespraech 45, dokument 25, crm_import 30'),
        leistungen: wert ? { deckungssumme_eur: cover } : {},
      }
    })
}

function rowOf(v: number, topic: Topic, contracts: ReturnType<typeof contractsOf>) {
  const { rang, name, stufe: bedarfsstufe, soll } = topic
  const counted = contracts.filter(
    ({ sparte, status }) => topic.sparten.includes(sparte) && status === 'aktiv',
  )
  const covered = counted.length > 0
  const ist = counted.reduce((sum, { leistungen }) => sum + (leistungen.deckungssumme_eur ?? 0), 0)
  const relevant = covered || chance(`relevant.${rang}`, v, 62)
  const unknown = !covered && chance(`unknown.${rang}`, v, 14)
  const enough = soll === null ? covered : ist >= soll
  const status = enough ? 'erfuellt' : ist ? 'teilweise' : 'luecke'
  const why = oneOf(`why.${rang}`, v, ['regel', 'kundenangabe'])
  const typ = soll === null ? 'deckung_ja_nein' : 'absolut'
  const einheit = soll === null ? 'ja_nein' : soll < 5_000 ? 'eur_monat' : 'eur'
  const goal = soll === null ? 'Vertrag vorhanden' : 'Zielwert nach DIN 77230'
  const pathOf = (contract: (typeof contracts)[number]) =>
    `vertraege[${contracts.indexOf(contract)}]`
  return {
    ...{ rang: String(rang), name, bedarfsstufe, in_analyse: true, relevant },
    relevanz_quelle: covered ? 'vertrag' : why,
    status: !relevant ? 'nicht_relevant' : unknown ? 'unbekannt' : status,
    sollwert: { typ, wert_eur: soll, einheit, beschreibung: goal },
    istwert: {
      wert_eur: unknown || soll === null ? null : ist,
      beschreibung: covered ? null : 'keine Absicherung bekannt',
      quellen: counted.map(contract => ({ typ: 'vertrag', pfad: pathOf(contract) })),
    },
  }
}

function makeHousehold(v: number) {
  const haushalt = profileOf(v)
  const vertraege = contractsOf(v, haushalt)
  const zeilen = topics.map(topic => rowOf(v, topic, vertraege))
  const open = zeilen.filter(({ status }) => status === 'luecke' || status === 'teilweise')
  const luecken_nach_stufe = [1, 2, 3].map(stufe => ({
    stufe,
    themen: open.filter(row => row.bedarfsstufe === stufe).map(({ name }) => name),
  }))
  const unknown = zeilen.filter(row => row.status === 'unbekannt').map(({ name }) => name)
  const checked = { zeilen, luecken_nach_stufe, unbekannt_in_analyse: unknown }
  const empfehlungen = open
    .slice(0, 5)
    .map(({ name, bedarfsstufe }) => ({ thema: name, bedarfsstufe }))
  return { alter: haushalt.personen[0]?.alter ?? 0, haushalt, vertraege, checked, empfehlungen }
}

const made = new Map<number, ReturnType<typeof makeHousehold>>()

export function householdOf(v: number) {
  const household = made.get(v) ?? makeHousehold(v)
  made.set(v, household)
  return household
}

/** With the parameters of that time. */
export function checkOf(v: number, erstellt_am: string) {
  const params_version =
    erstellt_am < '2025-07' ? '2025.1' : erstellt_am < '2026' ? '2025.2' : '2026.1'
  const bewertung = { params_version, engine_version: '1.4.2', ...householdOf(v).checked }
  return { erstellt_am, bewertung }
}
