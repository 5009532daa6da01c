import type { AgentLanguage } from '../plan.ts'
import { callerWords, type PhraseIndex, phraseAt, phraseIndex } from './clauses.ts'

// Short signals of a listener: "uh huh", "okay", "I see". They do not claim the turn, and answer only a yes/no question.

const signals: Record<AgentLanguage, string> = {
  en: 'uh huh, uhuh, uh, um, mm, mmm, hm, hmm, mhm, mm hmm, mmhmm, mm hm, ok, okay, okey, yes, yeah, yea, yep, yup, right, sure, alright, all right, i see, got it, gotcha, go on, go ahead, oh, ah, aha, good, great, fine, perfect, cool, nice, lovely, really, wow, thanks, thank you, please, of course, exactly, correct, true, hello, hi, hey, good morning, good afternoon, good evening, i understand, understood, well, so',
  fr: 'mm, mmm, hm, hmm, mhm, euh, hum, ok, okay, oui, ouais, d accord, bien, tres bien, bon, ah, ah bon, oh, voila, je vois, c est ca, exact, exactement, parfait, super, merci, entendu, compris, allo, bonjour, bonsoir, salut, allez y, bien sur, certes, tout a fait, alors',
  es: 'mm, mmm, hm, hmm, mhm, aja, aha, eh, ok, okay, si, vale, bien, muy bien, bueno, ya, ya veo, claro, entiendo, entendido, de acuerdo, perfecto, gracias, ah, oh, exacto, correcto, hola, buenos dias, buenas tardes, buenas, diga, digame, siga, adelante, pues, por supuesto',
  de: 'mm, mmm, hm, hmm, mhm, aha, ah, oh, ah so, ach so, aeh, ah ja, ok, okay, ja, jo, genau, gut, sehr gut, alles klar, klar, verstehe, ich verstehe, verstanden, richtig, stimmt, schön, prima, super, danke, bitte, na gut, in ordnung, hallo, guten tag, guten morgen, guten abend, gruezi, servus, moin, natürlich, also, so',
  nl: 'mm, mmm, hm, hmm, mhm, uhu, ah, oh, aha, eh, ok, oke, okay, ja, jawel, goed, prima, precies, juist, klopt, begrijp ik, ik begrijp het, begrepen, ik snap het, mooi, fijn, bedankt, dank u, dank je, natuurlijk, hallo, hoi, dag, goedendag, goedemorgen, goedemiddag, goedenavond, nou, ga door, ga verder',
  it: 'mm, mmm, hm, hmm, mhm, eh, ah, oh, aha, ok, okay, si, va bene, bene, benissimo, certo, capito, ho capito, capisco, giusto, esatto, perfetto, d accordo, grazie, prego, ecco, già, pronto, ciao, salve, buongiorno, buonasera, dica, mi dica, vada avanti, allora',
}

const indexes = new Map<AgentLanguage, PhraseIndex<true>>()

function indexOf(language: AgentLanguage): PhraseIndex<true> {
  const known = indexes.get(language)
  if (known) return known
  const made = phraseIndex<true>([[true, signals[language]]])
  indexes.set(language, made)
  return made
}

/** More words are a statement, whatever they are. */
const maxWords = 6

/** Nothing but signals of a listener; false without words. */
export function isBackchannel(text: string, language: AgentLanguage): boolean {
  const words = callerWords(text, language)
  if (words.length === 0 || words.length > maxWords) return false
  const index = indexOf(language)
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(index, words, at)
    if (!phrase) return false
    at += phrase.words.length
  }
  return true
}
