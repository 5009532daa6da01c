import type { AgentLanguage } from '../plan.ts'
import { plain } from '../words.ts'

// Number words by language, as `word=value`. Compounds such as "siebenundvierzig" are composed by the parser.

export interface NumberWords {
  /** 0 to 19 and irregular ones. */
  units: ReadonlyMap<string, number>
  tens: ReadonlyMap<string, number>
  hundred: readonly string[]
  thousand: readonly string[]
  /** Whole words with a value above 99: "doscientos". */
  hundreds: ReadonlyMap<string, number>
  /** Between the parts of a number: "forty and seven", "siebenundvierzig". */
  and: readonly string[]
  /** "Nineteen hundred" is a number, "venti cento" is two. */
  maxHundreds: number
  /** Units precede tens: German, Dutch. */
  unitsFirst: boolean
  /** Words are written together: German, Dutch, Italian. */
  compounds: boolean
  /** Words that are articles as well: a number only among other numbers, or alone. */
  articles: readonly string[]
  double: readonly string[]
  triple: readonly string[]
  plus: readonly string[]
  /** Said between groups of digits: "then", "dash". */
  fillers: readonly string[]
  /** Ordinals that are not formed from the cardinal. */
  ordinals: ReadonlyMap<string, number>
  /** Endings of regular ordinals. */
  ordinalEndings: readonly string[]
}

const values = (list: string): ReadonlyMap<string, number> =>
  new Map(
    list
      .split(/\s+/)
      .filter(Boolean)
      .map((pair) => {
        const [word = '', value = ''] = pair.split('=')
        return [plain(word.replaceAll('_', ' ')), Number(value)]
      }),
  )

const list = (text: string): readonly string[] => text.split(',').map(plain).filter(Boolean)

export const numberWords: Record<AgentLanguage, NumberWords> = {
  en: {
    units: values(
      'zero=0 oh=0 o=0 nought=0 naught=0 nil=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 niner=9 ten=10 eleven=11 twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19 dozen=12',
    ),
    tens: values('twenty=20 thirty=30 forty=40 fourty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90'),
    hundred: ['hundred', 'hundreds'],
    thousand: ['thousand'],
    hundreds: new Map(),
    and: ['and'],
    maxHundreds: 99,
    unitsFirst: false,
    compounds: false,
    articles: list('a, an'),
    double: ['double', 'twice'],
    triple: ['triple', 'treble'],
    plus: ['plus'],
    fillers: list(
      'uh, um, er, erm, then, and, dash, hyphen, comma, space, slash, followed by, after that, next, and then, the, hm, stroke, ok, yes, so',
    ),
    ordinals: values(
      'first=1 second=2 third=3 fourth=4 fifth=5 sixth=6 seventh=7 eighth=8 ninth=9 tenth=10 eleventh=11 twelfth=12 thirteenth=13 fourteenth=14 fifteenth=15 sixteenth=16 seventeenth=17 eighteenth=18 nineteenth=19 twentieth=20 thirtieth=30 1st=1 2nd=2 3rd=3 21st=21 22nd=22 23rd=23 31st=31',
    ),
    ordinalEndings: ['th'],
  },
  fr: {
    units: values(
      'zéro=0 un=1 une=1 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12 treize=13 quatorze=14 quinze=15 seize=16',
    ),
    tens: values(
      'vingt=20 vingts=20 trente=30 quarante=40 cinquante=50 soixante=60 septante=70 huitante=80 octante=80 nonante=90',
    ),
    hundred: ['cent', 'cents'],
    thousand: ['mille', 'mil'],
    hundreds: new Map(),
    and: ['et'],
    maxHundreds: 19,
    unitsFirst: false,
    compounds: false,
    articles: list('un, une'),
    double: ['double', 'deux fois'],
    triple: ['triple', 'trois fois'],
    plus: ['plus'],
    fillers: list(
      'euh, puis, et, et puis, ensuite, tiret, virgule, espace, le, après, alors, suivi de, hum, barre, oui',
    ),
    ordinals: values('premier=1 première=1 1er=1 second=2 seconde=2'),
    ordinalEndings: ['ieme'],
  },
  de: {
    units: values(
      'null=0 ein=1 eins=1 eine=1 einen=1 einem=1 einer=1 zwei=2 zwo=2 drei=3 vier=4 fünf=5 fuenf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12 zwoelf=12 dreizehn=13 vierzehn=14 fünfzehn=15 sechzehn=16 siebzehn=17 achtzehn=18 neunzehn=19',
    ),
    tens: values(
      'zwanzig=20 dreißig=30 dreizig=30 vierzig=40 fünfzig=50 fuenfzig=50 sechzig=60 siebzig=70 achtzig=80 neunzig=90',
    ),
    hundred: ['hundert'],
    thousand: ['tausend'],
    hundreds: new Map(),
    and: ['und'],
    maxHundreds: 99,
    unitsFirst: true,
    compounds: true,
    articles: list('ein, eine, einen, einem, einer'),
    double: ['doppel', 'doppelt', 'zweimal', 'zwei mal', 'doppelte'],
    triple: ['dreimal', 'drei mal', 'dreifach'],
    plus: ['plus'],
    fillers: list(
      'äh, ähm, dann, und, und dann, strich, bindestrich, komma, minus, die, hm, gefolgt von, leerzeichen, schrägstrich, danach, ja, also',
    ),
    ordinals: values(
      'erste=1 ersten=1 erster=1 dritte=3 dritten=3 dritter=3 siebte=7 siebten=7 siebter=7 achte=8 achten=8 achter=8',
    ),
    ordinalEndings: ['sten', 'ster', 'ste', 'ten', 'ter', 'te'],
  },
  es: {
    units: values(
      'cero=0 un=1 uno=1 una=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 doce=12 trece=13 catorce=14 quince=15 dieciséis=16 diecisiete=17 dieciocho=18 diecinueve=19 veintiuno=21 veintiún=21 veintiuna=21 veintidós=22 veintitrés=23 veinticuatro=24 veinticinco=25 veintiséis=26 veintisiete=27 veintiocho=28 veintinueve=29',
    ),
    tens: values('veinte=20 treinta=30 cuarenta=40 cincuenta=50 sesenta=60 setenta=70 ochenta=80 noventa=90'),
    hundred: ['cien', 'ciento'],
    thousand: ['mil'],
    hundreds: values(
      'doscientos=200 doscientas=200 trescientos=300 trescientas=300 cuatrocientos=400 cuatrocientas=400 quinientos=500 quinientas=500 seiscientos=600 seiscientas=600 setecientos=700 setecientas=700 ochocientos=800 ochocientas=800 novecientos=900 novecientas=900',
    ),
    and: ['y'],
    maxHundreds: 9,
    unitsFirst: false,
    compounds: false,
    articles: list('un, una'),
    double: ['doble', 'dos veces'],
    triple: ['triple', 'tres veces'],
    plus: ['mas'],
    fillers: list('eh, este, luego, después, y, y luego, guion, coma, espacio, el, pues, seguido de, a ver, barra, si'),
    ordinals: values('primero=1 primer=1 primera=1 1ro=1'),
    ordinalEndings: [],
  },
  it: {
    units: values(
      'zero=0 un=1 uno=1 una=1 due=2 tre=3 quattro=4 cinque=5 sei=6 sette=7 otto=8 nove=9 dieci=10 undici=11 dodici=12 tredici=13 quattordici=14 quindici=15 sedici=16 diciassette=17 diciotto=18 diciannove=19',
    ),
    tens: values(
      'venti=20 vent=20 trenta=30 trent=30 quaranta=40 quarant=40 cinquanta=50 cinquant=50 sessanta=60 sessant=60 settanta=70 settant=70 ottanta=80 ottant=80 novanta=90 novant=90',
    ),
    hundred: ['cento', 'cent'],
    thousand: ['mille', 'mila'],
    hundreds: new Map(),
    and: ['e'],
    maxHundreds: 9,
    unitsFirst: false,
    compounds: true,
    articles: list('un, una, uno'),
    double: ['doppio', 'doppia', 'due volte'],
    triple: ['triplo', 'tripla', 'tre volte'],
    plus: ['piu'],
    fillers: list('ehm, eh, poi, e, e poi, trattino, virgola, spazio, il, dopo, quindi, seguito da, allora, barra, si'),
    ordinals: values('primo=1'),
    ordinalEndings: [],
  },
  nl: {
    units: values(
      'nul=0 een=1 eens=1 ene=1 twee=2 drie=3 vier=4 vijf=5 zes=6 zeven=7 acht=8 negen=9 tien=10 elf=11 twaalf=12 dertien=13 veertien=14 vijftien=15 zestien=16 zeventien=17 achttien=18 negentien=19',
    ),
    tens: values('twintig=20 dertig=30 veertig=40 vijftig=50 zestig=60 zeventig=70 tachtig=80 negentig=90'),
    hundred: ['honderd'],
    thousand: ['duizend'],
    hundreds: new Map(),
    and: ['en'],
    maxHundreds: 99,
    unitsFirst: true,
    compounds: true,
    articles: ['een'],
    double: ['dubbel', 'dubbele', 'twee keer', 'tweemaal'],
    triple: ['driemaal', 'drie keer', 'driedubbel'],
    plus: ['plus'],
    fillers: list(
      'eh, uh, dan, en, en dan, streepje, komma, spatie, de, daarna, gevolgd door, nou, liggend streepje, schuine streep, ja',
    ),
    ordinals: values('eerste=1 derde=3 achtste=8'),
    ordinalEndings: ['ste', 'de'],
  },
}
