import type { WordClasses } from './word-patterns.ts'

/**
 * How requests and promises are said. Words are in the form of `callerWords`. `promises` bind the side that speaks,
 * `requests` the other side.
 */
export interface ActionWords {
  classes: WordClasses
  promises: readonly string[]
  /** Promises only with a due time: "I'll do it" alone says too little. */
  datedPromises: readonly string[]
  requests: readonly string[]
  /** Questions that are answered at once, on the call. */
  immediate: readonly string[]
  hedges: readonly string[]
  /** Words that stand for what was asked: "I'll do it". */
  asAsked: readonly string[]
  due: DueWords
  labels: { agent: string; customer: string; due: string }
}

/** A due time is a run of these words with at least one anchor. */
export interface DueWords {
  anchors: string
  links: string
  /** A run with one of these is in the past, or no time. */
  not: string
  /** Words that a due time does not begin or end with. */
  edges: string
}

const en: ActionWords = {
  classes: {
    DO:
      'call ring phone text send email mail post check look refund cancel change update fix repair book schedule arrange ' +
      'confirm deliver replace forward transfer contact write pay return explain correct ask follow get prepare find add open ' +
      'sort investigate visit ship sign bring collect pick fill restart reset include put invite organise organize escalate ' +
      'process issue credit reimburse attach install ensure speak talk let make give note pass raise chase print upload ' +
      'move extend renew register order reserve hold_back waive',
    DONE: 'there ready done fixed sent shipped refunded credited paid delivered replaced repaired posted corrected with back',
    DET: 'the our my a an someone somebody your his her',
    PARTY:
      'technician engineer colleague team warehouse plumber fitter driver doctor manager department courier supplier ' +
      'electrician expert someone somebody they he she accountant office',
    THEM: 'me us him her them it',
    /** After "I will", these promise nothing. */
    IDLE:
      'be have need see think like love want know hope not never probably do come go wait try stay manage remember forget miss ' +
      'take also then just certainly definitely personally gladly still always only believe assume guess understand end say ' +
      'look hear feel get let live survive continue enjoy use start hold bear sure',
  },
  promises: [
    'i|we will DO, i|we will be DO*, i|we will also|then|personally|certainly|definitely|gladly|just DO, i|we am|are going to DO',
    'i|we shall DO, i promise, DET _ will DO, DET _ will be DONE, DET|PARTY PARTY|_ will come|visit|be, they|he|she will DO, you will hear|get|receive|have',
    'i|we will ^IDLE, i|we will also|then|personally|certainly|definitely|gladly|just ^IDLE, i|we will have _ ready|done|fixed|sent|DONE, will have to DO',
    'they|he|she will come back, you get _ refund|credit|replacement|voucher|call|email|confirmation, PARTY call*|com*|visit*|deliver* you|tomorrow|today',
    'i|we am|are sending|posting|emailing|ordering, i|we will see _ that, will do that _ and',
  ],
  datedPromises: [
    'i|we will come|go|take|do|have it|them|that|everything|to|by|over, they|he|she will ^IDLE, i|we will do, let me DO, i|we will come, you will see|know, i|we can DO',
  ],
  requests: [
    'can|could|would|will you DO, can|could|would|will you please|also|perhaps|maybe|just DO, please DO, please _ DO THEM',
    'you need|have to DO, you must DO, need|want you to DO, like you to DO, let me|us know, make sure, do not forget to',
    'send|call|email|text|bring|phone|ring|give|fax|write|post me|us|him, would you mind, if you could|would|can DO, remember to DO, please do not',
  ],
  immediate: [
    'you|please give|tell|confirm me|us your, you|please repeat|spell|hold|wait|confirm, your name|birth|address|number|postcode',
    'give me a moment|second|minute, let me check, let me look, let me see, let me have a look, call me NAME, let me ask you',
    'you give me|us, you explain, please hold, you confirm',
  ],
  hedges: ['maybe, perhaps, might, not sure, would, will not, if i|we can, i hope, wonder*, i think'],
  asAsked: ['it', 'that', 'this', 'so', 'do'],
  due: {
    anchors:
      'today tonight tomorrow monday tuesday wednesday thursday friday saturday sunday week weekend month hour hours minutes ' +
      'days weeks months noon midday morning afternoon evening night lunch lunchtime january february march april june july august september ' +
      'october november december immediately away business thirtieth second ninth fifteenth first twentieth',
    links:
      'by before on until at within in this next the of end close right an a one two three four five six seven eight nine ten ' +
      'eleven twelve few couple working latest between and later half past quarter to o clock am pm straight day around about after',
    not: 'ago last every from',
    edges: 'the of and a an to about around at in on day right after next',
  },
  labels: { agent: 'Agent', customer: 'Customer', due: 'due' },
}

const fr: ActionWords = {
  classes: {
    DO:
      'rappell* envoi* envoy* corrig* prepar* verifi* ajout* transm* note* occup* contact* rembours* livr* confirm* annul* ' +
      'modifi* chang* prevoi* prevenir previen* organis* repar* remplac* sign* apport* met* mettr* rempli* renvoy* inform* ' +
      'appeler appellerai appellera ecri* fourni* retourn* control* regl* resou* programm* reserv* planifi* crediter credite*',
    /** After "je vous", these promise nothing. */
    IDLE: 'ecoute remercie comprends entends assure souhaite crois prie dis demande ai avais dois suis passe le la les l en y appelle parle',
    CL: 'vous le la l les lui leur te y en m me nous',
    FUT:
      '*appellera *contactera *enverra *passera *viendra *livrera *reparera *sera *donnera *recevra *prendra *confirmera ' +
      '*appelleront *contacteront *enverront *passeront *recevrez *enverrons *rappellerons *ferons *recontactera *recontacterons',
    WHO: 'on technicien plombier expert collegue equipe livreur entrepot conseiller service il elle docteur quelqu responsable',
  },
  promises: [
    'je|on|nous DO, je|on|nous CL DO, je|on|nous CL CL DO, j DO, je vais _ DO, on va _ DO, nous allons _ DO, je m en occupe',
    'WHO _ FUT, *erai|*errai, vous serez rembourse*|livre*|contacte*|rappele*, sera pret*|livre*|repare*|rembourse*|envoye*',
    'vous recevrez|aurez, je vous promets, je|on vous ^IDLE',
  ],
  datedPromises: [
    'je le|la|les fais, je fais, je m en charge, je passe, je verse|paie|regle, passera|viendra|appellera|enverra|livrera',
  ],
  requests: [
    'pouvez|pourriez vous _ DO, vous pouvez|pourriez _ DO, il faut|faudrait _ DO, veuillez _ DO, merci de _ DO, vous devez _ DO',
    '*ez|*ssez moi|nous, n oubliez pas, j aimerais que vous, je veux que vous, pensez a, assurez vous, tenez moi, pouvez m DO',
  ],
  immediate: [
    'repeter, epeler, patienter, votre nom|adresse|numero|date, donnez moi votre, confirmez moi, dites moi, excusez moi',
  ],
  hedges: ['peut etre, j espere, ne _ pas encore, il parait, fera beau, annuler|modifier|changer _ rendez vous de'],
  asAsked: ['ca', 'cela', 'fais', 'ferai'],
  due: {
    anchors:
      'demain aujourd hui soir matin midi apres lundi mardi mercredi jeudi vendredi samedi dimanche semaine week mois heure ' +
      'heures jours minutes journee janvier fevrier avril juin juillet aout septembre octobre novembre decembre immediatement',
    links:
      'avant le la ce cet cette d ici fin du de des sous dans les prochaine prochain a au un une deux trois quatre cinq six sept ' +
      'huit neuf dix quinze midi end ouvres tard plus l vers entre et pour lendemain suite tout',
    not: 'depuis dernier derniere il',
    edges: 'la de des du a au l et les d ce plus tout dans pour le',
  },
  labels: { agent: 'Agent', customer: 'Client', due: 'échéance' },
}

const de: ActionWords = {
  classes: {
    ICH:
      'schicke sende prufe erstelle korrigiere kummere notiere leite veranlasse storniere erstatte klare uberweise andere ' +
      'unterschreibe bringe hinterlege reserviere organisiere informiere kontaktiere trage mache frage besorge reklamiere',
    WIR:
      'schicken senden melden prufen erstellen korrigieren kummern leiten veranlassen stornieren erstatten klaren uberweisen ' +
      'andern bringen reservieren informieren kontaktieren liefern tauschen reparieren holen',
    INF:
      'schicken senden melden prufen erstellen korrigieren kummern weiterleiten veranlassen stornieren erstatten klaren ' +
      'uberweisen andern bringen reservieren informieren kontaktieren liefern austauschen reparieren zuruckrufen anrufen ' +
      'aufnehmen durchgeben ausfullen unterschreiben zusenden zuschicken vorbeibringen abholen eintragen nachfragen mitteilen ' +
      'hinzufugen einreichen bezahlen nachsehen vorbeikommen kommen beilegen faxen mailen',
    WHO:
      'techniker installateur kollege kollegin monteur fahrer handwerker klempner elektriker kurier team lager arzt arztin ' +
      'jemand chef mitarbeiter mitarbeiterin abteilung er sie',
    /** Between "ich" and "Ihnen", these promise nothing. */
    IDLE: 'danke wunsche empfehle sage glaube kann konnte mochte wollte habe hatte werde hore gebe verspreche darf will von bei mit an zu',
    KOMMT: 'kommt meldet ruft schickt bringt liefert pruft repariert',
  },
  promises: [
    'ich ICH, ICH ich, wir WIR, WIR wir, rufe _ zuruck, ich melde mich, melde ich mich, ich gebe _ weiter|bescheid',
    'gebe ich _ weiter|bescheid, ich werde __ INF, werde ich __ INF, wir werden __ INF, werden wir __ INF, WHO wird __ INF',
    'wird sich __ melden, es|er|sie wird __ fertig|geliefert|repariert|erledigt, wird __ zugeschickt, WHO KOMMT, rufen _ zuruck',
    'sie bekommen|erhalten __ zuruck|mail|bescheid|ruckruf|gutschrift|erstattung|bestatigung|geld|angebot',
    'bekommen|erhalten sie __ zuruck|mail|bescheid|ruckruf|gutschrift|erstattung|bestatigung|geld, ich verspreche',
    'ich ^IDLE ihnen, ^IDLE ich ihnen, ich nehme _ auf, nehme ich __ auf|mit, ich schaue _ nach, schaue ich _ nach',
  ],
  datedPromises: [
    'ich|wir kann|konnen __ INF, kann|konnen ich|wir __ INF, das mache|erledige ich, ich mache, ich komme, komme ich',
  ],
  requests: [
    'konnen|konnten|wurden sie __ INF, konnten|konnen sie __ aufnehmen|schicken, bitte WIR|INF sie, WIR|INF sie mir|uns|bitte',
    'bitte fullen|rufen|geben|sagen|bringen|denken|achten sie, sie mussen|mussten|sollten __ INF, mir|uns bescheid, rufen sie mich',
    'ich brauche __ von ihnen, ich mochte dass sie, vergessen sie nicht, bitte fullen, schicken sie, geben sie _ bescheid',
  ],
  immediate: [
    'wiederholen, buchstabieren, ihren|ihr|ihre namen|name|adresse|geburtsdatum|kundennummer, bleiben sie, warten sie',
    'einen moment, was kann ich',
  ],
  hedges: ['vielleicht, hoffentlich, nicht sicher, ich glaube, wegen, eventuell, wird _ nicht'],
  asAsked: ['das', 'es', 'mache', 'erledige'],
  due: {
    anchors:
      'heute morgen ubermorgen abend vormittag nachmittag mittag montag dienstag mittwoch donnerstag freitag samstag sonntag ' +
      'woche wochenende monats monat stunde stunden tagen tage minuten januar februar marz april mai juni juli august ' +
      'september oktober november dezember sofort umgehend uhr',
    links:
      'bis am im in um vor nach zum ende des der dieser diese nachste nachsten noch spatestens innerhalb von ein einer zwei drei ' +
      'vier funf sechs sieben acht neun zehn den kommende fruh gegen zwischen und werktagen',
    not: 'letzte letzten seit guten',
    edges: 'des der und von im in um den noch nach zum vor',
  },
  labels: { agent: 'Agent', customer: 'Kunde', due: 'fällig' },
}

export const actionWords: Readonly<Partial<Record<string, ActionWords>>> = { en, fr, de }
