import { type AgentLanguage, agentLanguages } from '../plan.ts'
import { plain } from '../words.ts'

// Whether the caller speaks another language than the agent, by function words that only one of the six languages has.

const functionWords: Record<AgentLanguage, string> = {
  en: 'the and is are was were you your my have has with for this that what would like please from it not they we can do',
  fr: 'je vous mais avec pour est sont une des les mon ma votre bonjour parlez vous suis pas que oui appelle voudrais quelqu',
  es: 'el los las una usted pero con para esta estoy tengo quiero hola habla espanol mi por favor gracias hay muy necesito',
  de: 'ich und der das ist nicht mit ein eine sie haben habe mein guten bitte sprechen deutsch kann wir auch auf mochte',
  nl: 'ik het een niet van en mijn met voor goedendag spreekt nederlands heb bent graag wil maar ook zijn uw goedemorgen',
  it: 'io il lo gli una con per sono non che mio buongiorno parla italiano vorrei grazie mi della anche questo ho',
}

const distinct = new Map<AgentLanguage, ReadonlySet<string>>()
for (const language of agentLanguages) {
  const others = agentLanguages.filter((one) => one !== language).flatMap((one) => functionWords[one].split(' '))
  const own = functionWords[language].split(' ')
  distinct.set(language, new Set(own.filter((word) => !others.includes(word))))
}

/** Fewer may be a name or a borrowed word. */
const minHits = 3

export function speaksOtherLanguage(text: string, language: AgentLanguage): boolean {
  const words = plain(text).split(' ')
  if (words.length < minHits) return false
  const hits = (one: AgentLanguage) => words.filter((word) => distinct.get(one)?.has(word)).length
  if (hits(language) > 0 || words.some((word) => functionWords[language].split(' ').includes(word))) return false
  return agentLanguages.some((one) => one !== language && hits(one) >= minHits)
}
