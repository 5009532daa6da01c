import type { AgentLanguage } from './plan.ts'

/** The built-in phrases of every agent, spoken and recognized. */
export interface Phrases {
  hello: string
  help: string
  notUnderstood: string
  stillThere: string
  /** Before the reply to a caller who does not stop talking. */
  interrupt: string
  onlyLanguage: string
  confirm(value: string): string
  handOver: string
  /** While a tool runs. */
  oneMoment: string
  goodbye: string
  /** To a callee who asked not to be called again. */
  optedOut: string
  yes: string
  no: string
}

export const phrasesOf = (language: AgentLanguage): Phrases => phrases[language]

const phrases: Record<AgentLanguage, Phrases> = {
  en: {
    hello: 'Hello.',
    help: 'How can I help you?',
    notUnderstood: 'Sorry, I did not understand that.',
    stillThere: 'Are you still there?',
    interrupt: 'Sorry to interrupt you.',
    onlyLanguage: 'I am sorry, I only speak English.',
    confirm: (value) => `I have noted ${value}. Is that right? Say yes or press 1, say no or press 2.`,
    handOver: 'One moment, I am passing you on to a colleague.',
    oneMoment: 'One moment, please.',
    goodbye: 'Thank you for your call. Goodbye.',
    optedOut: 'All right, we will not call you again. Goodbye.',
    yes: 'yes',
    no: 'no',
  },
  fr: {
    hello: 'Bonjour.',
    help: 'Comment puis-je vous aider ?',
    notUnderstood: 'Désolé, je n’ai pas compris.',
    stillThere: 'Êtes-vous toujours là ?',
    interrupt: 'Pardonnez-moi de vous interrompre.',
    onlyLanguage: 'Je suis désolé, je ne parle que français.',
    confirm: (value) => `J’ai noté ${value}. Est-ce exact ? Dites oui ou tapez 1, dites non ou tapez 2.`,
    handOver: 'Un instant, je vous passe un collègue.',
    oneMoment: 'Un instant, s’il vous plaît.',
    goodbye: 'Merci de votre appel. Au revoir.',
    optedOut: 'C’est noté, nous ne vous appellerons plus. Au revoir.',
    yes: 'oui',
    no: 'non',
  },
  es: {
    hello: 'Hola.',
    help: '¿En qué puedo ayudarle?',
    notUnderstood: 'Perdone, no le he entendido.',
    stillThere: '¿Sigue ahí?',
    interrupt: 'Perdone que le interrumpa.',
    onlyLanguage: 'Lo siento, solo hablo español.',
    confirm: (value) => `He anotado ${value}. ¿Es correcto? Diga sí o pulse 1, diga no o pulse 2.`,
    handOver: 'Un momento, le paso con un compañero.',
    oneMoment: 'Un momento, por favor.',
    goodbye: 'Gracias por su llamada. Adiós.',
    optedOut: 'De acuerdo, no volveremos a llamarle. Adiós.',
    yes: 'sí',
    no: 'no',
  },
  de: {
    hello: 'Guten Tag.',
    help: 'Wie kann ich Ihnen helfen?',
    notUnderstood: 'Entschuldigung, das habe ich nicht verstanden.',
    stillThere: 'Sind Sie noch da?',
    interrupt: 'Entschuldigung, ich muss Sie kurz unterbrechen.',
    onlyLanguage: 'Es tut mir leid, ich spreche nur Deutsch.',
    confirm: (value) => `Ich habe ${value} notiert. Stimmt das? Sagen Sie ja oder drücken Sie 1, nein oder 2.`,
    handOver: 'Einen Moment, ich verbinde Sie mit einem Kollegen.',
    oneMoment: 'Einen Moment, bitte.',
    goodbye: 'Danke für Ihren Anruf. Auf Wiederhören.',
    optedOut: 'In Ordnung, wir rufen Sie nicht mehr an. Auf Wiederhören.',
    yes: 'ja',
    no: 'nein',
  },
  nl: {
    hello: 'Goedendag.',
    help: 'Waarmee kan ik u helpen?',
    notUnderstood: 'Sorry, dat heb ik niet begrepen.',
    stillThere: 'Bent u er nog?',
    interrupt: 'Sorry dat ik u onderbreek.',
    onlyLanguage: 'Het spijt me, ik spreek alleen Nederlands.',
    confirm: (value) => `Ik heb ${value} genoteerd. Klopt dat? Zeg ja of druk op 1, zeg nee of druk op 2.`,
    handOver: 'Een ogenblik, ik verbind u door met een collega.',
    oneMoment: 'Een ogenblik, alstublieft.',
    goodbye: 'Bedankt voor uw telefoontje. Tot ziens.',
    optedOut: 'Goed, wij bellen u niet meer. Tot ziens.',
    yes: 'ja',
    no: 'nee',
  },
  it: {
    hello: 'Buongiorno.',
    help: 'Come posso aiutarla?',
    notUnderstood: 'Mi scusi, non ho capito.',
    stillThere: 'È ancora in linea?',
    interrupt: 'Mi scusi se la interrompo.',
    onlyLanguage: 'Mi dispiace, parlo solo italiano.',
    confirm: (value) => `Ho annotato ${value}. È giusto? Dica sì o prema 1, dica no o prema 2.`,
    handOver: 'Un momento, le passo un collega.',
    oneMoment: 'Un momento, per favore.',
    goodbye: 'Grazie della chiamata. Arrivederci.',
    optedOut: 'Va bene, non la chiameremo più. Arrivederci.',
    yes: 'sì',
    no: 'no',
  },
}
