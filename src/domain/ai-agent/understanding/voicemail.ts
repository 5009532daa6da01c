import type { AgentLanguage } from '../plan.ts'
import { containsPhrase } from '../words.ts'

// Whether a callee is a voicemail or an answering machine, by what is said first. The announcement of a carrier may be
// in another language than the agent's, so the phrases of all languages count.

/** Said by machines only; "would you like to leave a message?" is a person. */
const greetings: Record<AgentLanguage, string> = {
  en: 'after the tone, after the beep, at the tone, at the beep, after the signal, please leave a message, please leave your message, please leave me a message, please leave us a message, leave a message after, leave your message after, leave a message and i will, leave a message and we will, leave your name and number, leave your name and your number, leave your name and phone number, leave your name number and, please record your message, record your message, forwarded to voicemail, forwarded to an automatic voice message system, forwarded to an automated voice, you have reached the voicemail, you ve reached the voicemail, reached the voice mail, reached the voicemail, reached the mailbox, you have reached the mailbox, mailbox is full, can not take your call right now, can t take your call right now, unable to take your call, can not come to the phone, can t come to the phone, person you are calling is not available, person you have called is not available, number you have dialled is not available, subscriber is not available',
  fr: 'après le bip, après le signal sonore, après le bip sonore, après le signal, après la tonalité, au signal sonore, laissez un message, laissez moi un message, laissez nous un message, laissez votre message, laisser votre message, merci de laisser un message, merci de me laisser un message, veuillez laisser un message, vous pouvez laisser un message après, vous pouvez me laisser un message, bienvenue sur la messagerie, bienvenue sur le répondeur, bien sur la messagerie, bien sur le répondeur, êtes bien sur la boîte vocale, la messagerie vocale de, messagerie de votre correspondant, votre correspondant n est pas joignable, votre correspondant n est pas disponible, correspondant est indisponible, je ne suis pas disponible pour le moment, la boîte vocale est pleine, la messagerie est pleine',
  es: 'después de la señal, tras la señal, después del tono, al oír la señal, después de oír la señal, después del pitido, deje su mensaje, deje un mensaje, deje el mensaje, deja tu mensaje, deja un mensaje, déjeme un mensaje, déjame un mensaje, puede dejar su mensaje, puede dejar un mensaje después, buzón de voz, contestador automático, ha llamado al contestador, buzón está lleno, no puedo atender su llamada, no puedo atenderle en este momento, el número al que llama no está disponible, el teléfono al que llama está apagado, no se encuentra disponible en este momento',
  de: 'nach dem ton, nach dem signalton, nach dem piepton, nach dem piep, nach dem pfeifton, hinterlassen sie eine nachricht, hinterlassen sie bitte eine nachricht, hinterlassen sie mir eine nachricht, hinterlassen sie uns eine nachricht, hinterlassen sie bitte ihre nachricht, hinterlassen sie ihre nachricht, hinterlasst eine nachricht, hinterlasse eine nachricht, hinterlass eine nachricht, sprechen sie nach, sie sind verbunden mit der mailbox, die mailbox von, willkommen auf der mailbox, anrufbeantworter von, hier ist der anrufbeantworter, teilnehmer ist zurzeit nicht erreichbar, teilnehmer ist zur zeit nicht erreichbar, teilnehmer ist momentan nicht erreichbar, gesprächspartner ist nicht erreichbar, ich bin zurzeit nicht erreichbar, ich bin gerade nicht erreichbar, ich bin im moment nicht erreichbar',
  nl: 'na de toon, na de piep, na de pieptoon, na het signaal, na de biep, spreek een bericht in, spreek uw bericht in, spreek uw boodschap in, spreek je bericht in, laat een bericht achter, laat dan een bericht achter, laat uw bericht achter, laat een boodschap achter, bericht achterlaten na, de voicemail van, dit is de voicemail, u bent verbonden met de voicemail, het antwoordapparaat van, kan uw oproep niet beantwoorden, kan de telefoon niet opnemen, kan nu niet opnemen, de gebruiker is momenteel niet bereikbaar, persoon die u belt is niet bereikbaar',
  it: 'dopo il segnale, dopo il segnale acustico, dopo il bip, dopo il tono, al segnale acustico, lasciate un messaggio, lasci un messaggio, lascia un messaggio, lasciare un messaggio dopo, lasciate il vostro messaggio, lasci il suo messaggio, lascia il tuo messaggio, segreteria telefonica, la segreteria di, casella vocale, servizio di segreteria, la persona chiamata non è al momento raggiungibile, cliente da lei chiamato non è raggiungibile, utente da lei chiamato non è, non è al momento raggiungibile, in questo momento non posso rispondere, non posso rispondere al momento',
}

const phrases = Object.values(greetings).flatMap((list) => list.split(',').map((phrase) => phrase.trim()))

export const isVoicemailGreeting = (text: string): boolean => containsPhrase(text, phrases)

/** A person who answers the phone pauses after a few words. */
const minGreetingMs = 6_000
const minGreetingWords = 12

/** First speech of a callee, from the answer of the call, without a pause. */
export const isLongGreeting = (text: string, ms: number): boolean =>
  ms >= minGreetingMs && text.trim().split(/\s+/).length >= minGreetingWords
