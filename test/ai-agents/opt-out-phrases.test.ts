import { expect, test } from 'vitest'
import { asksNotToBeCalled } from '../../src/domain/ai-agent/understanding/opt-out.ts'
import { isVoicemailGreeting } from '../../src/domain/ai-agent/understanding/voicemail.ts'

const requests = {
  en: [
    "Don't call me again!",
    'Could you take me off your list please',
    'Please stop calling me',
    'no more calls thanks',
  ],
  fr: ['Ne m’appelez plus', 'Retirez-moi de votre liste s’il vous plaît', 'Arrêtez de m’appeler'],
  es: ['No me llamen más, por favor', 'Quíteme de la lista', '¿Puede darme de baja?'],
  de: ['Rufen Sie mich bitte nicht mehr an', 'Streichen Sie mich bitte von Ihrer Liste', 'Löschen Sie meine Nummer'],
  nl: ['Bel me alstublieft niet meer', 'Haal mij van de lijst', 'Ik wil niet meer gebeld worden'],
  it: ['Non mi chiamate più', 'Mi tolga dalla lista', 'Smettete di chiamarmi'],
} as const

const others = {
  en: [
    "Don't call me now, call me again tomorrow",
    'You can call me again',
    'It is on the list',
    'I called you already',
  ],
  fr: ['Rappelez-moi demain', 'Je ne peux pas vous parler maintenant', 'C’est sur la liste'],
  es: ['Llámeme mañana', 'Ahora no puedo hablar', 'No me llamo Ana'],
  de: ['Rufen Sie mich morgen noch einmal an', 'Ich kann jetzt nicht', 'Ich stehe auf der Liste'],
  nl: ['Bel me morgen terug', 'Ik kan nu niet', 'Het staat op de lijst'],
  it: ['Mi richiami domani', 'Adesso non posso', 'Non mi chiamo Anna'],
} as const

test('recognizes requests not to be called again in six languages, but no requests to call later', () => {
  for (const language of ['en', 'fr', 'es', 'de', 'nl', 'it'] as const) {
    for (const text of requests[language]) expect([text, asksNotToBeCalled(text, language)]).toEqual([text, true])
    for (const text of others[language]) expect([text, asksNotToBeCalled(text, language)]).toEqual([text, false])
  }
})

test('recognizes the greeting of a voicemail in six languages, but no person', () => {
  for (const text of [
    'The person you are calling is not available. At the tone, please record your message.',
    "Hi, you've reached the voicemail of Jo.",
    'Bonjour, vous êtes bien sur la messagerie de Jo, laissez-moi un message.',
    'Ha llamado al contestador automático del 91 234.',
    'Guten Tag, bitte hinterlassen Sie eine Nachricht nach dem Ton.',
    'Dit is de voicemail van Jo, spreek een bericht in na de piep.',
    'Risponde la segreteria telefonica, lasciate un messaggio dopo il segnale acustico.',
  ])
    expect([text, isVoicemailGreeting(text)]).toEqual([text, true])
  for (const text of [
    'Hello?',
    'Would you like to leave a message for her?',
    'Is this an answering machine?',
    'Je peux prendre un message ?',
    'Möchten Sie eine Nachricht hinterlassen?',
    'No, she is not here today.',
  ])
    expect([text, isVoicemailGreeting(text)]).toEqual([text, false])
})
