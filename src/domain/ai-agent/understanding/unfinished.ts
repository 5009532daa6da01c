import type { AgentLanguage } from '../plan.ts'
import { callerWords, phraseList } from './clauses.ts'

// Speech that is likely to continue after a pause: it ends with a word that needs another one, or the caller asks for a
// moment.

/** Last words of an unfinished sentence. */
const openings: Record<AgentLanguage, string> = {
  en: 'and, but, or, because, cause, if, when, while, although, then, um, uh, er, erm, uhm, the, a, an, my, your, our, his, their, is, are, am, was, were, of, to, with, for, from, at, by, about, than, as, which, who, i, we, would like, want, need, have, has, had, will, would, could, can you, number is, it is, very, not, please note, starts with, plus, dot, double, triple, dash, underscore',
  fr: 'et, mais, ou, parce que, car, si, quand, que, qui, euh, heu, hum, le, la, les, un, une, des, du, de, mon, ma, mes, votre, notre, est, c est, sont, a, au, aux, avec, pour, par, sur, dans, chez, je, j ai, je voudrais, je veux, il faut, point, arobase, tiret, plus, double',
  es: 'y, e, pero, o, porque, si, cuando, que, eh, este, el, la, los, las, un, una, de, del, mi, mis, su, sus, nuestro, es, son, esta, a, al, con, para, por, en, sobre, yo, quiero, quisiera, necesito, tengo, punto, arroba, guion, mas, doble',
  de: 'und, aber, oder, weil, denn, wenn, dass, ob, als, äh, ähm, öh, hm also, der, die, das ist, den, dem, des, ein, eine, einen, einem, einer, mein, meine, meinen, meiner, ihr, ihre, unser, ist, sind, war, lautet, von, vom, zu, zum, zur, mit, für, bei, in, im, auf, an, über, ich, wir, ich möchte, ich will, ich habe, ich hätte, punkt, at, bindestrich, plus, doppel',
  nl: 'en, maar, of, omdat, want, als, dat, wanneer, eh, uh, uhm, de, het, een, mijn, uw, ons, onze, is, zijn, was, van, te, met, voor, bij, in, op, aan, over, naar, ik, wij, ik wil, ik heb, ik zou graag, punt, apenstaartje, streepje, plus, dubbel',
  it: 'e, ed, ma, o, oppure, perche, se, quando, che, ehm, eh, il, lo, la, i, gli, le, un, uno, una, di, del, della, dei, mio, mia, miei, suo, sua, nostro, e il, sono, ha, ho, a, al, alla, con, per, da, dal, in, su, io, vorrei, voglio, punto, chiocciola, trattino, piu, doppio',
}

/** The caller will continue later. */
const pauses: Record<AgentLanguage, string> = {
  en: 'one moment, just a moment, a moment, one second, just a second, one sec, a sec, hold on, hang on, wait, wait a minute, let me see, let me check, let me look, let me think, bear with me, give me a second, give me a moment, just a minute',
  fr: 'un instant, un moment, une seconde, une minute, attendez, attendez voir, laissez moi voir, je regarde, je cherche, voyons, ne quittez pas',
  es: 'un momento, un momentito, un segundo, un segundito, un minuto, espere, espera, a ver, dejeme ver, dejeme mirar, dejeme pensar',
  de: 'einen moment, moment, moment bitte, eine sekunde, sekunde, einen augenblick, augenblick, warten sie, warte, ich schaue nach, ich schau mal, mal sehen, lassen sie mich nachsehen, kleinen moment',
  nl: 'een moment, moment, momentje, een ogenblik, ogenblikje, een seconde, even kijken, wacht even, wacht, ik kijk even, eens kijken',
  it: 'un attimo, un momento, un secondo, un minuto, aspetti, aspetta, vediamo, mi faccia vedere, mi faccia controllare, mi faccia pensare',
}

interface Lists {
  openings: readonly string[][]
  pauses: readonly string[][]
}

const lists = new Map<AgentLanguage, Lists>()

function listsOf(language: AgentLanguage): Lists {
  const known = lists.get(language)
  if (known) return known
  const made = { openings: phraseList(openings[language]), pauses: phraseList(pauses[language]) }
  lists.set(language, made)
  return made
}

const endsWith = (words: readonly string[], phrase: readonly string[]) =>
  phrase.length <= words.length && phrase.every((word, at) => words[words.length - phrase.length + at] === word)

/** `pause`: the caller asks for time. `sentence`: the last word needs another one. */
export function unfinished(text: string, language: AgentLanguage): 'pause' | 'sentence' | undefined {
  const words = callerWords(text, language)
  const known = listsOf(language)
  if (known.pauses.some((phrase) => endsWith(words, phrase))) return 'pause'
  // Speech recognition writes three dots where a sentence trails off, and a comma where it continues.
  if (['...', '…', ',', '-'].some((mark) => text.trim().endsWith(mark))) return 'sentence'
  return known.openings.some((phrase) => endsWith(words, phrase)) ? 'sentence' : undefined
}
