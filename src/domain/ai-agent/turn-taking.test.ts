import { describe, expect, test } from 'vitest'
import { type CallerInput, type DialogState, greet, respond } from './dialog.ts'
import { endOfTurnMs } from './end-of-turn.ts'
import { type AgentPlayback, restAfter, wasHeard } from './heard.ts'
import { type AgentPlan, agentLanguages, type IntakeQuestion, scriptedMode } from './plan.ts'
import { isBackchannel } from './understanding/backchannels.ts'
import { speaksOtherLanguage } from './understanding/other-language.ts'
import { dialogRequest } from './understanding/requests.ts'

const question = (key: string, kind: IntakeQuestion['kind']): IntakeQuestion => ({
  key,
  kind,
  ask: `${key}?`,
  options: kind === 'choice' ? ['red', 'blue'] : [],
  confirm: false,
})

const plan = (questions: IntakeQuestion[], more: Partial<AgentPlan> = {}): AgentPlan => ({
  id: 'a1',
  name: 'Robin',
  language: 'en',
  voice: null,
  firstMessage: 'Hello.',
  goodbyeMessage: 'Bye.',
  questions,
  intents: [],
  escalation: { phrases: [], afterMisunderstandings: 3, target: { type: 'branch' } },
  maxSeconds: 600,
  ...scriptedMode,
  ...more,
})

const now = Date.UTC(2026, 10, 18, 11)

describe('requests about the conversation', () => {
  test.each([
    ['en', ['Could you repeat that, please?', 'Sorry?', 'Pardon?', 'Say that again', 'What was the question?']],
    ['fr', ['Pouvez-vous répéter, s’il vous plaît ?', 'Pardon ?', 'Comment ?', 'Je n’ai pas compris']],
    ['es', ['¿Puede repetir, por favor?', '¿Cómo dice?', 'Otra vez, por favor', 'No le he entendido']],
    ['de', ['Können Sie das bitte wiederholen?', 'Wie bitte?', 'Noch einmal bitte', 'Das habe ich nicht verstanden']],
    ['nl', ['Kunt u dat herhalen, alstublieft?', 'Wat zegt u?', 'Nog een keer', 'Pardon?']],
    ['it', ['Può ripetere, per favore?', 'Come ha detto?', 'Non ho capito', 'Scusi?']],
  ] as const)('to repeat, in %s', (language, phrases) => {
    for (const phrase of phrases) expect([phrase, dialogRequest(phrase, language)]).toEqual([phrase, 'repeat'])
  })

  test.each([
    ['en', ['Go back', 'Can we go back, please?', 'Previous question']],
    ['fr', ['Retour', 'On peut revenir en arrière ?', 'La question précédente']],
    ['es', ['Atrás', '¿Puede volver atrás?', 'La pregunta anterior, por favor']],
    ['de', ['Zurück', 'Bitte einen Schritt zurück', 'Die vorherige Frage']],
    ['nl', ['Terug', 'Ga terug, alstublieft', 'De vorige vraag']],
    ['it', ['Indietro', 'Può tornare indietro?', 'La domanda precedente']],
  ] as const)('to go back, in %s', (language, phrases) => {
    for (const phrase of phrases) expect([phrase, dialogRequest(phrase, language)]).toEqual([phrase, 'back'])
  })

  test.each([
    ['en', ['Goodbye', 'Okay, thanks, bye', 'No, that is all, goodbye']],
    ['fr', ['Au revoir', 'Merci, au revoir', 'Bonne journée']],
    ['es', ['Adiós', 'Gracias, hasta luego']],
    ['de', ['Auf Wiederhören', 'Danke, tschüss', 'Nein danke, auf Wiedersehen']],
    ['nl', ['Tot ziens', 'Dank u wel, doei']],
    ['it', ['Arrivederci', 'Grazie, buona giornata']],
  ] as const)('to end the call, in %s', (language, phrases) => {
    for (const phrase of phrases) expect([phrase, dialogRequest(phrase, language)]).toEqual([phrase, 'goodbye'])
  })

  test.each([
    'The letter came back',
    'I want my money back',
    'It happened again yesterday',
    'Sorry, no',
    'No',
    'My name is Bye Sanders',
    'Please repeat the order for my mother',
    'That is all I know about it',
  ])('is none: %s', (text) => {
    expect(dialogRequest(text, 'en')).toBeUndefined()
  })

  test('are followed by a scripted agent, and an earlier answer is asked again', () => {
    const agent = plan([question('name', 'name'), question('reason', 'text'), question('phone', 'phone')])
    const lines = [greet(agent)]
    const say = (text: string) => {
      const reply = respond(agent, lines.at(-1)?.talk ?? greet(agent).talk, { kind: 'words', text }, now)
      lines.push(reply)
      return reply
    }

    expect(say('Pardon?').say).toBe('name?')
    expect(say('Jo March').say).toBe('reason?')
    expect(say('Can we go back, please?').say).toBe('name?')
    expect(say('Amy March').say).toBe('reason?')
    expect(say('It is broken').talk.answers).toEqual({ name: 'Amy March', reason: 'It is broken' })
    expect(say('0612345678').say).toContain('0 6 1 2')
    expect(say('Say that again').say).toContain('0 6 1 2')
    expect(say('Goodbye')).toMatchObject({ say: 'Bye.', next: { kind: 'end', why: 'disconnected' } })
  })
})

test('signals of a listener are known in every language, and statements are none', () => {
  const signals = {
    en: ['uh huh', 'Okay, yes.', 'Mm-hmm.', 'I see', 'Hello?'],
    fr: ['oui oui', 'd’accord', 'hmm', 'très bien'],
    es: ['vale', 'sí, sí', 'ajá', 'de acuerdo'],
    de: ['ja genau', 'hm', 'alles klar', 'okay'],
    nl: ['ja ja', 'oké', 'prima', 'hm'],
    it: ['sì sì', 'va bene', 'ho capito', 'ok'],
  }
  for (const language of agentLanguages) {
    for (const text of signals[language]) expect([text, isBackchannel(text, language)]).toEqual([text, true])
  }
  for (const text of ['No', 'Stop', 'Wait', 'Yes, I have a question', 'four seven', ''])
    expect([text, isBackchannel(text, 'en')]).toEqual([text, false])
})

test.each([
  ['yes_no', 'Yes', 320],
  ['yes_no', 'Well, it depends on the weather', 640],
  ['yes_no', 'Yes, but', 1_600],
  ['choice', 'The blue one', 320],
  ['text', 'My parcel is broken.', 640],
  ['text', 'I am calling because', 1_600],
  ['text', 'My parcel, um', 1_600],
  ['text', 'Let me see', 4_000],
  ['phone', 'My number is', 1_600],
  ['phone', 'Oh six one two', 2_000],
  ['phone', '06 12 34 56 78', 640],
  ['phone', 'I do not have one.', 640],
  ['number', 'four seven two nine', 900],
  ['email', 'jo dot march', 2_000],
  ['email', 'jo dot march at example dot com', 900],
  ['date', 'next Tuesday', 640],
  ['name', 'Jo March', 640],
] as const)('a turn that answers %s with "%s" ends after %i ms of silence', (kind, text, ms) => {
  const agent = plan([question('it', kind)])
  expect(endOfTurnMs(agent, greet(agent).talk, text, now)).toBe(ms)
})

describe('a question', () => {
  const playback: AgentPlayback = {
    sound: 1,
    text: 'Hello, this is Robin. What is your name please?',
    ask: 'What is your name please?',
    isKnown: false,
    at: 0,
    endedAt: 3_600,
    said: 'Hello, this is Robin. What is your name please?',
  }

  test.each([
    [500, false],
    [1_700, false],
    [2_400, false],
    [3_000, true],
    [4_000, true],
  ])('of 3.6 s with its greeting is heard by a caller who speaks after %i ms: %s', (ms, isHeard) => {
    expect(wasHeard(playback, ms)).toBe(isHeard)
  })

  test('continues where it was interrupted', () => {
    expect(restAfter(playback.text, 'Hello, this is Robin. What is')).toBe('What is your name please?')
    expect(restAfter(playback.text, 'Hello, this')).toBe('this is Robin. What is your name please?')
    expect(restAfter(playback.text, '')).toBe(playback.text)
    expect(restAfter(playback.text, playback.text)).toBe('')
  })
})

test('another language is recognized by its function words', () => {
  expect(speaksOtherLanguage('Bonjour, je voudrais parler avec une personne', 'en')).toBe(true)
  expect(speaksOtherLanguage('Ich habe eine Frage und das ist nicht gut', 'en')).toBe(true)
  expect(speaksOtherLanguage('I would like to speak to Monsieur de la Tour', 'en')).toBe(false)
  expect(speaksOtherLanguage('Ich habe eine Frage zu meiner Rechnung', 'de')).toBe(false)
  expect(speaksOtherLanguage('Vorrei parlare con il servizio clienti', 'it')).toBe(false)
})

test('every conversation ends, whatever the caller says again and again', () => {
  const agent = plan([question('reason', 'text'), question('order', 'number'), question('colour', 'choice')], {
    intents: [
      { name: 'hours', phrases: ['open'], reply: 'From nine to six.', next: 'go_on' },
      { name: 'place', phrases: ['where'], reply: 'In Paris.', next: 'go_on' },
    ],
  })
  const inputs: CallerInput[] = [
    { kind: 'words', text: 'When are you open?' },
    { kind: 'words', text: 'Where are you?' },
    { kind: 'words', text: 'Pardon?' },
    { kind: 'words', text: 'no' },
    { kind: 'words', text: '' },
    { kind: 'words', text: 'I do not know' },
    { kind: 'words', text: 'over the question', isHeard: false },
    { kind: 'words', text: 'seven', isHeard: false },
    { kind: 'words', text: 'four seven two nine' },
    { kind: 'keys', keys: '99' },
    { kind: 'silence' },
  ]
  /** Of two inputs in turn, every pair. */
  for (const first of inputs) {
    for (const second of inputs) {
      let talk: DialogState = greet(agent).talk
      let turns = 0
      for (let next = 'listen'; next === 'listen'; turns++) {
        expect(turns, JSON.stringify([first, second])).toBeLessThan(60)
        const reply = respond(agent, talk, turns % 2 === 0 ? first : second, now)
        talk = reply.talk
        next = reply.next.kind
      }
    }
  }
})
