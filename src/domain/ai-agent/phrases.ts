import type { AgentLanguage } from './plan.ts'

/** The built-in phrases of every agent, spoken and recognized. */
export interface Phrases {
  hello: string
  help: string
  notUnderstood: string
  stillThere: string
  confirm(value: string): string
  handOver: string
  goodbye: string
  yes: readonly string[]
  no: readonly string[]
  person: readonly string[]
  digits: readonly string[]
}

export const phrasesOf = (language: AgentLanguage): Phrases => phrases[language]

const phrases: Record<AgentLanguage, Phrases> = {
  en: {
    hello: 'Hello.',
    help: 'How can I help you?',
    notUnderstood: 'Sorry, I did not understand that.',
    stillThere: 'Are you still there?',
    confirm: (value) => `I have noted ${value}. Is that right? Say yes or press 1, say no or press 2.`,
    handOver: 'One moment, I am passing you on to a colleague.',
    goodbye: 'Thank you for your call. Goodbye.',
    yes: ['yes', 'yeah', 'yep', 'correct', 'right', 'exactly', 'sure', 'of course'],
    no: ['no', 'nope', 'wrong', 'not right', 'incorrect'],
    person: [
      'a person',
      'a human',
      'real person',
      'somebody real',
      'someone real',
      'an agent',
      'operator',
      'a colleague',
    ],
    digits: ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
  },
  fr: {
    hello: 'Bonjour.',
    help: 'Comment puis-je vous aider ?',
    notUnderstood: 'Désolé, je n’ai pas compris.',
    stillThere: 'Êtes-vous toujours là ?',
    confirm: (value) => `J’ai noté ${value}. Est-ce exact ? Dites oui ou tapez 1, dites non ou tapez 2.`,
    handOver: 'Un instant, je vous passe un collègue.',
    goodbye: 'Merci de votre appel. Au revoir.',
    yes: ['oui', 'ouais', 'exact', 'exactement', 'tout à fait', 'bien sûr'],
    no: ['non', 'pas du tout', 'faux'],
    person: ['une personne', 'un humain', 'quelqu’un', 'un conseiller', 'une conseillère', 'un collègue'],
    digits: ['zéro', 'un', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'],
  },
  es: {
    hello: 'Hola.',
    help: '¿En qué puedo ayudarle?',
    notUnderstood: 'Perdone, no le he entendido.',
    stillThere: '¿Sigue ahí?',
    confirm: (value) => `He anotado ${value}. ¿Es correcto? Diga sí o pulse 1, diga no o pulse 2.`,
    handOver: 'Un momento, le paso con un compañero.',
    goodbye: 'Gracias por su llamada. Adiós.',
    yes: ['sí', 'claro', 'correcto', 'exacto', 'por supuesto'],
    no: ['no', 'incorrecto', 'para nada'],
    person: ['una persona', 'un humano', 'un agente', 'alguien', 'un compañero', 'operador'],
    digits: ['cero', 'uno', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve'],
  },
  de: {
    hello: 'Guten Tag.',
    help: 'Wie kann ich Ihnen helfen?',
    notUnderstood: 'Entschuldigung, das habe ich nicht verstanden.',
    stillThere: 'Sind Sie noch da?',
    confirm: (value) => `Ich habe ${value} notiert. Stimmt das? Sagen Sie ja oder drücken Sie 1, nein oder 2.`,
    handOver: 'Einen Moment, ich verbinde Sie mit einem Kollegen.',
    goodbye: 'Danke für Ihren Anruf. Auf Wiederhören.',
    yes: ['ja', 'jawohl', 'genau', 'richtig', 'stimmt'],
    no: ['nein', 'falsch', 'stimmt nicht'],
    person: ['ein mensch', 'einem menschen', 'einen menschen', 'mitarbeiter', 'jemandem sprechen', 'kollegen'],
    digits: ['null', 'eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun'],
  },
  nl: {
    hello: 'Goedendag.',
    help: 'Waarmee kan ik u helpen?',
    notUnderstood: 'Sorry, dat heb ik niet begrepen.',
    stillThere: 'Bent u er nog?',
    confirm: (value) => `Ik heb ${value} genoteerd. Klopt dat? Zeg ja of druk op 1, zeg nee of druk op 2.`,
    handOver: 'Een ogenblik, ik verbind u door met een collega.',
    goodbye: 'Bedankt voor uw telefoontje. Tot ziens.',
    yes: ['ja', 'jawel', 'klopt', 'precies', 'juist'],
    no: ['nee', 'fout', 'klopt niet'],
    person: ['een mens', 'een medewerker', 'iemand spreken', 'een collega', 'een persoon'],
    digits: ['nul', 'een', 'twee', 'drie', 'vier', 'vijf', 'zes', 'zeven', 'acht', 'negen'],
  },
  it: {
    hello: 'Buongiorno.',
    help: 'Come posso aiutarla?',
    notUnderstood: 'Mi scusi, non ho capito.',
    stillThere: 'È ancora in linea?',
    confirm: (value) => `Ho annotato ${value}. È giusto? Dica sì o prema 1, dica no o prema 2.`,
    handOver: 'Un momento, le passo un collega.',
    goodbye: 'Grazie della chiamata. Arrivederci.',
    yes: ['sì', 'certo', 'esatto', 'giusto', 'corretto'],
    no: ['no', 'sbagliato', 'per niente'],
    person: ['una persona', 'un umano', 'un operatore', 'qualcuno', 'un collega'],
    digits: ['zero', 'uno', 'due', 'tre', 'quattro', 'cinque', 'sei', 'sette', 'otto', 'nove'],
  },
}
