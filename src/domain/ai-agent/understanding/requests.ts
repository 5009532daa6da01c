import type { AgentLanguage } from '../plan.ts'
import { callerWords, type PhraseIndex, phraseAt, phraseIndex } from './clauses.ts'

// Requests about the conversation itself: to repeat, to go back to the previous question, and goodbye. They are
// recognized only if the turn contains nothing else: "the letter came back" is an answer.

export type DialogRequest = 'repeat' | 'back' | 'goodbye'

/** `answer`: yes and no, which a goodbye may follow. */
type Label = DialogRequest | 'filler' | 'answer'

type RequestWords = Record<Label, string>

const words: Record<AgentLanguage, RequestWords> = {
  en: {
    repeat:
      'repeat, repeat that, repeat it, repeat the question, repeat yourself, can you repeat that, could you repeat that, can you repeat, could you repeat, can you repeat the question, could you repeat the question, would you repeat that, say that again, say it again, can you say that again, could you say that again, come again, what was that, what was the question, what did you say, what did you ask, what was that again, pardon, pardon me, i beg your pardon, beg your pardon, excuse me, i did not hear that, i did not hear you, i did not catch that, i did not get that, did not catch that, once more, one more time, again, sorry, what, huh, i did not understand the question, i missed that, say again, what is the question',
    back: 'go back, can you go back, could you go back, can we go back, could we go back, go back please, back, back please, take me back, go to the previous question, previous question, the previous question, go back to the previous question, go back to the last question, last question again, go one back, one step back, step back, i want to go back, i would like to go back, let us go back, previous',
    goodbye:
      'goodbye, good bye, bye, bye bye, bye now, see you, see you later, have a nice day, have a good day, have a good one, talk to you later, i will call back, i will call back later, i will call again, i have to go, i need to go, cheers bye, hang up, you can hang up, end the call, end this call',
    filler:
      'please, sorry, thank you, thanks, thank you very much, thanks a lot, ok, okay, well, oh, um, uh, alright, all right, great, so, then, hm, hmm, for now, very much, to me, for me, i said, just, now, could you, can you, that is all, that is everything, that will be all, nothing else, i am done',
    answer: 'yes, no',
  },
  fr: {
    repeat:
      'répétez, vous pouvez répéter, pouvez vous répéter, pourriez vous répéter, tu peux répéter, pouvez vous répéter la question, répétez la question, répéter la question, encore une fois, une fois de plus, comment, pardon, vous dites, vous avez dit quoi, qu avez vous dit, qu est ce que vous avez dit, quoi, hein, je n ai pas entendu, je n ai pas compris, j ai pas compris, j ai pas entendu, quelle était la question, c était quoi la question, redites, vous pouvez redire, pouvez vous redire, redites moi ça, de nouveau, plaît il',
    back: 'retour, revenir, revenir en arrière, retour en arrière, revenez en arrière, on peut revenir en arrière, pouvez vous revenir en arrière, question précédente, la question précédente, à la question précédente, revenir à la question précédente, revenez à la question précédente, en arrière, précédent, je voudrais revenir en arrière, je veux revenir en arrière',
    goodbye:
      'au revoir, à bientôt, à plus tard, à plus, bonne journée, bonne soirée, ciao, salut au revoir, adieu, je rappelle, je rappellerai, je rappellerai plus tard, je dois y aller, raccrochez, vous pouvez raccrocher',
    filler:
      's il vous plaît, s il te plaît, merci, merci beaucoup, désolé, désolée, excusez moi, ok, d accord, bon, bien, ah, euh, alors, très, beaucoup, la, ça, je, moi, c est tout, ce sera tout, c est bon, rien d autre',
    answer: 'oui, non',
  },
  es: {
    repeat:
      'repita, repítelo, repítalo, puede repetir, puede repetirlo, podría repetir, podría repetirlo, me lo repite, me puede repetir, me lo puede repetir, puede repetir la pregunta, repita la pregunta, otra vez, una vez más, de nuevo, cómo, cómo dice, cómo ha dicho, qué, qué dice, qué ha dicho, qué dijo, perdón, perdone, disculpe, no le he oído, no he oído, no le he entendido, no le entendí, no entendí, no he entendido, no escuché, cuál era la pregunta, mande, dígalo otra vez',
    back: 'atrás, volver, vuelva, volver atrás, vuelva atrás, ir atrás, ir hacia atrás, puede volver atrás, podemos volver atrás, pregunta anterior, la pregunta anterior, a la pregunta anterior, volver a la pregunta anterior, vuelva a la pregunta anterior, anterior, quiero volver atrás, quisiera volver atrás',
    goodbye:
      'adiós, hasta luego, hasta pronto, hasta mañana, chao, chau, nos vemos, que tenga buen día, buen día, que tenga un buen día, ya llamaré, llamaré más tarde, tengo que irme, cuelgue, puede colgar',
    filler:
      'por favor, gracias, muchas gracias, muy amable, lo siento, vale, ok, bueno, bien, ah, eh, pues, entonces, ya, a, usted, me, lo, eso es todo, eso sería todo, es todo, nada más',
    answer: 'sí, no',
  },
  de: {
    repeat:
      'wiederholen sie, wiederholen sie das, wiederholen sie bitte, können sie das wiederholen, könnten sie das wiederholen, können sie wiederholen, können sie das bitte wiederholen, könnten sie das bitte wiederholen, können sie die frage bitte wiederholen, können sie bitte wiederholen, können sie das bitte noch einmal sagen, können sie das bitte nochmal sagen, können sie die frage wiederholen, könnten sie die frage wiederholen, wiederholen sie die frage, wiederholen, wiederhole das, noch mal, nochmal, noch einmal, nochmals, sagen sie das noch mal, sagen sie das nochmal, sagen sie das noch einmal, können sie das noch mal sagen, können sie das nochmal sagen, können sie das noch einmal sagen, wie bitte, wie war das, wie war die frage, was, was haben sie gesagt, was sagten sie, was war die frage, bitte was, entschuldigung, verzeihung, pardon, ich habe sie nicht verstanden, ich habe das nicht verstanden, das habe ich nicht verstanden, hab ich nicht verstanden, nicht verstanden, ich habe sie nicht gehört, hä',
    back: 'zurück, gehen sie zurück, einen schritt zurück, eine frage zurück, zurück zur vorherigen frage, zurück zur letzten frage, vorherige frage, die vorherige frage, zur vorherigen frage, können wir zurückgehen, können sie zurückgehen, können wir zurück gehen, ich möchte zurück, ich will zurück, zurückgehen',
    goodbye:
      'auf wiederhören, wiederhören, auf wiedersehen, wiedersehen, tschüss, tschüs, tschau, ciao, bis dann, bis bald, bis später, schönen tag, schönen tag noch, einen schönen tag, einen schönen tag noch, ich rufe wieder an, ich rufe später an, ich melde mich, ich muss los, legen sie auf, sie können auflegen',
    filler:
      'bitte, danke, vielen dank, danke schön, dankeschön, okay, ok, gut, na gut, ach, oh, äh, ähm, also, dann, so, mal, das, entschuldigen sie, tut mir leid, gerne, das war alles, das ist alles, das war es, das wars, sonst nichts, mehr nicht',
    answer: 'ja, nein',
  },
  nl: {
    repeat:
      'herhaal, herhaal dat, kunt u dat herhalen, kunt u herhalen, kan u dat herhalen, kunt u de vraag herhalen, herhaal de vraag, herhalen, nog een keer, nog eens, nogmaals, zeg dat nog eens, zegt u dat nog eens, kunt u dat nog eens zeggen, kunt u dat nog een keer zeggen, wat zegt u, wat zei u, wat zeg je, wat, wat was de vraag, wat was dat, hoe bedoelt u, pardon, sorry, excuseer, wablief, ik heb u niet verstaan, ik heb het niet verstaan, ik verstond u niet, ik versta u niet, niet verstaan, ik heb het niet gehoord, hè',
    back: 'terug, ga terug, gaat u terug, kunt u teruggaan, kunnen we terug, kunnen we teruggaan, een stap terug, een vraag terug, vorige vraag, de vorige vraag, naar de vorige vraag, terug naar de vorige vraag, ik wil terug, ik wil teruggaan, vorige, teruggaan',
    goodbye:
      'tot ziens, dag hoor, doei, doeg, doei doei, tot horens, tot straks, tot later, tot snel, fijne dag, fijne dag nog, een fijne dag, prettige dag, ik bel terug, ik bel later terug, ik bel nog wel, ik moet gaan, ik moet ophangen, hang op, u kunt ophangen',
    filler:
      'alstublieft, alsjeblieft, dank u, dank u wel, bedankt, dankjewel, dank je, oke, ok, goed, oh, ah, eh, nou, dan, even, mij, maar, dat was alles, dat is alles, dat was het, verder niets, niets anders',
    answer: 'ja, nee',
  },
  it: {
    repeat:
      'ripeta, ripetere, ripeti, può ripetere, potrebbe ripetere, può ripeterlo, me lo ripete, può ripetere la domanda, ripeta la domanda, ancora, ancora una volta, un altra volta, di nuovo, come, come ha detto, come dice, cosa, cosa ha detto, che cosa, che cosa ha detto, scusi, mi scusi, pardon, non ho sentito, non ho capito, non la sento, qual era la domanda, non ho capito la domanda, lo dica di nuovo, può dirlo di nuovo',
    back: 'indietro, torna indietro, torni indietro, tornare indietro, può tornare indietro, possiamo tornare indietro, domanda precedente, la domanda precedente, alla domanda precedente, torni alla domanda precedente, tornare alla domanda precedente, precedente, vorrei tornare indietro, voglio tornare indietro',
    goodbye:
      'arrivederci, arrivederla, addio, ciao ciao, a presto, a dopo, a più tardi, buona giornata, buona serata, richiamo, richiamerò, richiamo più tardi, devo andare, riattacchi, può riattaccare',
    filler:
      'per favore, per piacere, per cortesia, grazie, grazie mille, molte grazie, ok, va bene, bene, ah, oh, allora, dunque, mi, me, lo, è tutto, questo è tutto, nient altro, basta così',
    answer: 'sì, no',
  },
}

const indexes = new Map<AgentLanguage, PhraseIndex<Label>>()

function indexOf(language: AgentLanguage): PhraseIndex<Label> {
  const known = indexes.get(language)
  if (known) return known
  const made = phraseIndex(Object.entries(words[language]) as [Label, string][])
  indexes.set(language, made)
  return made
}

/** Longer turns are about something else. */
const maxWords = 12

/** The last request of the turn; undefined if it contains anything else. */
export function dialogRequest(text: string, language: AgentLanguage): DialogRequest | undefined {
  const said = callerWords(text, language)
  if (said.length === 0 || said.length > maxWords) return undefined
  const index = indexOf(language)
  let request: DialogRequest | undefined
  let isAnswer = false
  for (let at = 0; at < said.length; ) {
    const phrase = phraseAt(index, said, at)
    if (!phrase) return undefined
    if (phrase.label === 'answer') isAnswer = true
    else if (phrase.label !== 'filler') request = strongest(request, phrase.label)
    at += phrase.words.length
  }
  return isAnswer && request !== 'goodbye' ? undefined : request
}

/** "Sorry, can you go back" is no request to repeat, and "bye" ends whatever came before it. */
function strongest(before: DialogRequest | undefined, next: DialogRequest): DialogRequest {
  if (before === undefined || next === 'goodbye') return next
  return before === 'repeat' ? next : before
}
