import type { AgentLanguage } from '../plan.ts'
import { callerWords, type PhraseIndex, phraseAt, phraseIndex } from './clauses.ts'

// Callers who correct themselves in the same sentence ("four seven, no sorry, four eight") or later ("actually, make it
// the sixteenth").

const markers: Record<AgentLanguage, string> = {
  en: 'no sorry, sorry no, sorry, i mean, i meant, no wait, wait no, wait, correction, actually, or rather, rather, no, scratch that, make it, make that, change it to, change that to, let me correct that, my mistake, i was wrong, instead',
  fr: 'non pardon, pardon, je veux dire, je voulais dire, non attendez, attendez, plutot, en fait, ou plutot, non, je me trompe, je me suis trompe, correction, mettez plutot, finalement, excusez moi',
  de: 'nein entschuldigung, entschuldigung, ich meine, ich meinte, nein moment, moment, beziehungsweise, besser gesagt, doch lieber, lieber, eigentlich, nein, korrektur, quatsch, stopp, machen sie daraus, ändern sie, vielmehr, stattdessen',
  es: 'no perdon, perdon, perdone, quiero decir, queria decir, no espere, espere, mejor dicho, mejor, en realidad, no, digo, correccion, me equivoque, me he equivocado, cambielo a, rectifico',
  it: 'no scusi, scusi, scusa, volevo dire, voglio dire, intendevo, no aspetti, aspetti, anzi, meglio, in realta, no, correzione, mi sono sbagliato, mi sono sbagliata, ho sbagliato, facciamo, piuttosto',
  nl: 'nee sorry, sorry, ik bedoel, ik bedoelde, nee wacht, wacht, liever, of liever, eigenlijk, nee, correctie, doe maar, maak er, toch maar, ik vergis me, verander, pardon',
}

const indexes = new Map<AgentLanguage, PhraseIndex<true>>()

function indexOf(language: AgentLanguage): PhraseIndex<true> {
  const known = indexes.get(language)
  if (known) return known
  const made = phraseIndex([[true, markers[language]] as const])
  indexes.set(language, made)
  return made
}

/** The value after the last correction, if there is a value before it as well. */
export function repaired<Value>(
  text: string,
  language: AgentLanguage,
  valueIn: (text: string) => Value | undefined,
): Value | undefined {
  const words = text.split(/\s+/)
  const plainWords = words.map((word) => callerWords(word, language).join(''))
  const index = indexOf(language)
  for (let at = words.length - 1; at > 0; at--) {
    const phrase = phraseAt(index, plainWords, at)
    if (!phrase) continue
    const after = valueIn(words.slice(at + phrase.words.length).join(' '))
    if (after !== undefined && valueIn(words.slice(0, at).join(' ')) !== undefined) return after
  }
  return valueIn(text)
}

/** Whether the caller corrects something: "actually, make it the sixteenth". */
export function isCorrection(text: string, language: AgentLanguage): boolean {
  const words = callerWords(text, language)
  return words.slice(0, 8).some((_, at) => phraseAt(indexOf(language), words, at) !== undefined)
}
