import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

// Speaks the default prompts with espeak-ng and keeps them as small WAV files (8 kHz, four bits a sample, made by sox). Run
// by hand when a text changes: `npx tsx scripts/prompts.ts`. The files are in the repository, so builds need neither.

type Name = 'welcome' | 'voicemail' | 'ivr' | 'callback_offer' | 'callback_later' | 'position' | 'forward_accept'

const texts: Record<string, Record<Name, string>> = {
  en: {
    welcome: 'Welcome. Please hold the line.',
    voicemail: 'Please leave a message after the tone.',
    ivr: 'Please choose with the keys of your phone.',
    callback_offer: 'To be called back, press one.',
    callback_later: 'We will call you back. Goodbye.',
    position: 'Your position in the queue:',
    forward_accept: 'Call for you. To accept it, press one.',
  },
  fr: {
    welcome: 'Bonjour. Veuillez patienter.',
    voicemail: 'Veuillez laisser un message après le signal.',
    ivr: 'Veuillez choisir avec les touches de votre téléphone.',
    callback_offer: 'Pour être rappelé, tapez un.',
    callback_later: 'Nous vous rappellerons. Au revoir.',
    position: "Votre position dans la file d'attente :",
    forward_accept: 'Un appel pour vous. Pour l’accepter, tapez un.',
  },
  es: {
    welcome: 'Bienvenido. Espere, por favor.',
    voicemail: 'Deje un mensaje después de la señal.',
    ivr: 'Elija con las teclas de su teléfono.',
    callback_offer: 'Para que le llamemos, pulse uno.',
    callback_later: 'Le llamaremos. Adiós.',
    position: 'Su posición en la cola:',
    forward_accept: 'Una llamada para usted. Para aceptarla, pulse uno.',
  },
  de: {
    welcome: 'Guten Tag. Bitte warten Sie.',
    voicemail: 'Bitte sprechen Sie nach dem Signalton.',
    ivr: 'Bitte wählen Sie mit den Tasten Ihres Telefons.',
    callback_offer: 'Für einen Rückruf drücken Sie die Eins.',
    callback_later: 'Wir rufen Sie zurück. Auf Wiederhören.',
    position: 'Ihr Platz in der Warteschlange:',
    forward_accept: 'Ein Anruf für Sie. Zum Annehmen drücken Sie die Eins.',
  },
  nl: {
    welcome: 'Welkom. Een ogenblik geduld.',
    voicemail: 'Spreek een bericht in na de toon.',
    ivr: 'Kies met de toetsen van uw telefoon.',
    callback_offer: 'Druk op één om teruggebeld te worden.',
    callback_later: 'Wij bellen u terug. Tot ziens.',
    position: 'Uw plaats in de wachtrij:',
    forward_accept: 'Een oproep voor u. Druk op één om aan te nemen.',
  },
  it: {
    welcome: 'Benvenuto. Attenda in linea.',
    voicemail: 'Lasci un messaggio dopo il segnale.',
    ivr: 'Scelga con i tasti del telefono.',
    callback_offer: 'Per essere richiamato, prema uno.',
    callback_later: 'La richiameremo. Arrivederci.',
    position: 'La sua posizione nella coda:',
    forward_accept: 'Una chiamata per lei. Per accettare, prema uno.',
  },
}

const digits = Array.from({ length: 10 }, (_, digit) => String(digit))
const folder = path.resolve(import.meta.dirname, '..', 'src', 'drivers', 'prompts')
const scratch = mkdtempSync(path.join(tmpdir(), 'prompts-'))

for (const [language, spoken] of Object.entries(texts)) {
  mkdirSync(path.join(folder, language), { recursive: true })
  for (const [name, text] of [...Object.entries(spoken), ...digits.map((digit) => [digit, digit] as const)]) {
    const raw = path.join(scratch, 'spoken.wav')
    const file = path.join(folder, language, `${name}.wav`)
    execFileSync('espeak-ng', ['-v', language, '-s', '165', '-w', raw, text])
    // Silence is cut at both ends; a number gets a little back, so that two are not taken for one.
    const quiet = [
      'silence',
      '1',
      '0.02',
      '0.5%',
      'reverse',
      'silence',
      '1',
      '0.02',
      '0.5%',
      'reverse',
      'pad',
      '0.05',
      // Repeated until a key is pressed.
      name === 'forward_accept' ? '1.5' : '0.15',
    ]
    execFileSync('sox', [raw, '-r', '8000', '-c', '1', '-e', 'ima-adpcm', file, ...quiet, 'norm', '-3'])
  }
}
rmSync(scratch, { recursive: true })

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wav'))
const bytes = files.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)
console.log(`${files.length} files, ${Math.round(bytes / 1_000)} kB`)
