// The people of the demo: invented, with addresses in towns that exist and streets that do not, mail at example domains
// (RFC 2606) and numbers set aside for films, or with +49199, which is given to no line.
import { chance, commonOf, oneOf, pick, shareOf, uuid } from './draw.ts'

const words = (text: string) => text.split(/,\s*/)

/** By origin: first names, last names. */
const names: Record<string, [first: string[], last: string[]]> = {
  german: [
    words(`Thomas, Susanne, Michael, Sabine, Andreas, Claudia, Stefan, Petra, Anna, Christian, Julia,
      Peter, Nicole, Martin, Katrin, Daniel, Stefanie, Markus, Laura, Alexander, Andrea, Frank, Lena,
      Jan, Birgit, Tobias, Melanie, Jürgen, Christina, Florian, Martina, Wolfgang, Katharina, Monika,
      Philipp, Klaus, Sarah, Lukas, Lisa, Felix, Heike, Jens, Anja, Uwe, Silke, Tim, Marie, Ralf, Ute,
      Jonas, Gabriele, Kerstin, Johanna, Holger, Jörg, Björn, Greta, Rüdiger, Käthe, Götz, Änne`),
    words(`Müller, Schmidt, Schneider, Fischer, Weber, Meyer, Wagner, Becker, Schulz, Hoffmann, Schäfer,
      Koch, Bauer, Richter, Klein, Wolf, Schröder, Neumann, Schwarz, Zimmermann, Braun, Krüger, Lange,
      Hofmann, Hartmann, Schmitt, Werner, Schmitz, Krause, Meier, Lehmann, Maier, Köhler, Herrmann, König,
      Walter, Huber, Kaiser, Fuchs, Peters, Scholz, Möller, Weiß, Jung, Hahn, Schubert, Vogel, Keller,
      Günther, Berger, Winkler, Roth, Beck, Lorenz, Franke, Böhm, Krämer, Vogt, Jäger, Groß, Brandt,
      Kühn, Pohl, Engel, Pfeiffer, Hübner, Schlüter, Steiner, Röder, Petersen, Dörr, Köster, Rösch`),
  ],
  turkish: [
    words('Ayşe, Mehmet, Fatma, Mustafa, Emine, Ahmet, Zeynep, Ali, Elif, Hüseyin, İbrahim, Özlem'),
    words('Yılmaz, Kaya, Demir, Çelik, Şahin, Yıldız, Öztürk, Aydın, Arslan, Doğan, Kılıç, Koç'),
  ],
  polish: [
    words(
      'Agnieszka, Piotr, Katarzyna, Krzysztof, Małgorzata, Paweł, Joanna, Tomasz, Łukasz, Olga',
    ),
    words('Nowakowski, Wiśniewski, Wójcik, Kowalczyk, Lewandowski, Zieliński, Mazur, Król, Wróbel'),
  ],
  other: [
    words('Mohammed, Fatima, Omar, Layla, Hassan, Mariam, Noor, Thị Lan, Đức, Mai, Hương, Linh'),
    words('Al-Masri, Haddad, Khalil, Mansour, Hamdan, Darwish, Nguyễn, Trần, Lê, Phạm, Đặng, Bùi'),
  ],
}
const places =
  words(`10115 Berlin, 12043 Berlin, 20095 Hamburg, 22765 Hamburg, 80331 München, 50667 Köln,
  60311 Frankfurt am Main, 70173 Stuttgart, 45127 Essen, 40213 Düsseldorf, 44135 Dortmund, 04103 Leipzig,
  28195 Bremen, 01067 Dresden, 30159 Hannover, 53111 Bonn, 90402 Nürnberg, 48143 Münster, 86150 Augsburg,
  06108 Halle (Saale), 79098 Freiburg im Breisgau, 99084 Erfurt, 18055 Rostock, 26122 Oldenburg`)
const streets =
  words(`Am Kastanienhang, Lindenblickweg, Zum Silberbach, Holunderzeile, Kranichsteig,
  Mohnblütenweg, Seglerhofstraße, Am Mühlenwinkel, Rotbuchengasse, Eisvogelweg, Im Apfelgrund,
  Schwalbenflugweg, Ziegelhofplatz, Hirschsprungallee, Haselnussgang, Turmfalkenstraße`)
const exchanges = ['3023125', '6990009', '4066969', '2214710', '8999998']

const special: Record<string, string> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  ı: 'i',
  ł: 'l',
  đ: 'd',
}

const mailForm = (name: string) =>
  name
    .toLowerCase()
    .normalize('NFC')
    .replace(/[äöüßıłđ]/g, letter => special[letter] ?? letter)
    .normalize('NFD')
    .replace(/[^a-z]/g, '')

function phoneOf(person: number): string {
  const [area, digits] = person < 1_000 ? [oneOf('exchange', person, exchanges), 3] : ['199', 8]
  return `+49${area}${String(person).padStart(digits, '0')}`
}

export type Person = ReturnType<typeof personOf>

/** `person` is the number of the first lead that they sent, `household` which of the households they have. */
export function personOf(person: number) {
  const origin = shareOf('origin', person, 'german 81, turkish 7, polish 7, other 5')
  const [first, last] = names[origin] as [string[], string[]]
  const vorname = commonOf('first', person, first)
  const nachname = commonOf('last', person, last)
  const domain = oneOf('domain', person, ['org', 'org', 'com', 'net'])
  const address = `${mailForm(vorname)}.${mailForm(nachname)}${person}@example.${domain}`
  const email = chance('no_mail', person, 10) ? null : address
  const phone = chance('no_phone', person, 14) ? null : phoneOf(person)
  const key = email ? `email:${email}` : phone && `phone:${phone}`
  const [plz = '', ort = ''] = oneOf('place', person, places).split(/ (.*)/)
  const strasse = `${oneOf('street', person, streets)} ${1 + pick('house', person, 90)}`
  return {
    ...{
      person,
      vorname,
      nachname,
      name: `${vorname} ${nachname}`,
      email,
      phone,
      strasse,
      plz,
      ort,
    },
    kontakt_key: key ?? `lead:${uuid('lead', person)}`,
    household: pick('household', person, 500),
  }
}

/** The keys that were merged into a person's: of one in eight, their number or an older address. */
export function aliasesOf({ person, email, phone }: Person): string[] {
  if (!email || !chance('merged', person, 12)) return []
  const older = chance('merged.older', person, 40) ? [`email:alt.${email}`] : []
  return [...(phone ? [`phone:${phone}`] : []), ...older]
}
