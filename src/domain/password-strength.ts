// Strength of a new password. Easily guessed parts count for little: account names, dictionary words, keyboard rows,
// years, repetitions. The rest counts per character.

export const minPasswordLength = 10
/** Number of characters left when each easily guessed part counts as one. */
const enough = 7

/** The server also refuses what an estimator with a dictionary of leaked passwords finds. */
export type PasswordProblem =
  | 'short'
  | 'guessable'
  | 'common'
  | 'similar'
  | 'personal'
  | 'pattern'
  | 'dated'
  | 'substituted'
  | 'weak'

/** `own` is what an attacker knows about the account: address, names, company. */
export function passwordProblem(password: string, own: readonly string[]): 'short' | 'guessable' | undefined {
  const written = password.normalize('NFKC')
  const text = written.toLowerCase()
  if ([...text].length < minPasswordLength) return 'short'
  if (oneWord.test(written)) return 'guessable'
  const names = accountWords(own)
  return worth(text, names) < enough || worth(plain(text), names) < enough ? 'guessable' : undefined
}

/** What to do about it, for the API and the web apps. */
export const passwordAdvice: Record<PasswordProblem, string> = {
  short: `The new password must have at least ${minPasswordLength} characters`,
  guessable:
    'The new password is easy to guess: single words, keyboard rows, years, repetitions, and your name or ' +
    'company add little. Use several unrelated words',
  common: 'The new password is commonly used. Use several unrelated words',
  similar: 'The new password is similar to a commonly used password. Add another, unrelated word',
  personal: 'The new password contains your name, email address or company. Add another, unrelated word',
  pattern:
    'The new password is easy to guess: keyboard patterns, sequences and repetitions add little. Add another, ' +
    'unrelated word',
  dated: 'The new password is easy to guess: dates and years add little. Add another, unrelated word',
  substituted:
    'The new password is easy to guess: replaced letters, such as @ for a, add little. Add another, unrelated word',
  weak: 'The new password is easy to guess. Add another, unrelated word',
}

/**
 * One word with a few digits or symbols at its ends, such as a year and an exclamation mark, or digits alone:
 * dictionaries, dates and phone numbers cover them. Random letters mix upper and lower case.
 */
const oneWord = /^[^\p{L}]{0,6}(?:\p{L}?[^\p{Lu}\P{L}]{0,12}|\p{Lu}{0,13})[^\p{L}]{0,6}$|^[\d\s+()./-]+$/u

export const accountWords = (own: readonly string[]): string[] => own.flatMap(wordsIn)

/** As a whole, and each part of it. */
function wordsIn(text: string): string[] {
  const whole = text.normalize('NFKC').toLowerCase()
  return [whole, ...whole.split(/[^\p{L}\p{N}]+/u)].filter((word) => word.length >= 3)
}

/** Common substitutions, such as @ for a. */
const disguises: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
}
const plain = (text: string) => text.replace(/[@431!0$57]/g, (sign) => disguises[sign] ?? sign)

function worth(text: string, names: readonly string[]): number {
  let rest = once(text)
  // A placeholder character that cannot be part of another match replaces each match.
  const found = '\u0001'
  for (const word of [...names].sort(longestFirst)) rest = rest.replaceAll(word, found)
  for (const word of common) rest = rest.replaceAll(word, found)
  rest = rest.replace(/(?:19|20)\d\d/g, found)
  return [...withoutRuns(rest, found)].length
}

const longestFirst = (a: string, b: string) => b.length - a.length

/** `abcabcabc` is `abc`. */
function once(text: string): string {
  for (let length = 1; length <= text.length / 2; length++) {
    if (text.startsWith(text.slice(length))) return text.slice(0, length)
  }
  return text
}

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'q1w2e3r4t5y6u7i8o9p0',
  '1q2w3e4r5t6y7u8i9o0p',
]
const backwards = rows.map((row) => [...row].reverse().join(''))
const sequences = [...rows, ...backwards]

/** Three or more consecutive keys, or repetitions of one, count as one. */
function withoutRuns(text: string, found: string): string {
  const letters = [...text]
  let left = ''
  for (let at = 0; at < letters.length; ) {
    let length = 1
    while (at + length < letters.length && isRun(letters.slice(at, at + length + 1))) length++
    left += length >= 3 ? found : (letters[at] ?? '')
    at += length >= 3 ? length : 1
  }
  return left
}

function isRun(letters: readonly string[]): boolean {
  const word = letters.join('')
  return letters.every((letter) => letter === letters[0]) || sequences.some((row) => row.includes(word))
}

const common = `
  passwort password passwords passwd contraseña contrasena motdepasse wachtwoord senha parola
  iloveyou ichliebedich jetaime teamo tequiero loveyou lovely forever together
  welcome willkommen bienvenue hello hallo bonjour letmein changeme secret geheim admin administrator root login user
  guest master super superman batman spiderman ironman starwars pokemon naruto matrix
  monkey dragon princess prinzessin princesa sunshine shadow football fussball futbol soccer baseball basketball hockey
  liverpool chelsea arsenal barcelona realmadrid juventus manchester
  butterfly flower blumen angel angels heaven jesus jesuschrist christ blessed
  chocolate cookie cheese banana orange apple pepper ginger coffee
  summer sommer winter spring autumn herbst january february march april june july august september october november
  december monday friday sunday
  michael michelle jennifer jessica daniel jordan thomas robert charlie andrew anthony ashley nicole amanda samantha
  alexander alexandra elizabeth victoria christian christina patrick benjamin stephanie
  computer internet samsung google facebook microsoft windows nintendo playstation
  whatever nothing trustno test testing demo sample default temp qwerty qwertz azerty abc asdf zxcv
  mercedes ferrari porsche mustang corvette harley yamaha
  hunter killer ranger soldier warrior wizard phoenix tiger eagle falcon panther
  purple yellow silver golden green black white orange diamond
  phone telephone telefon phonesystem hookswitch company firma office support service sales team
  baby babygirl family friends friend mother father brother sister little pretty sweet lucky happy crazy
  love money power star girl boys pass word cat dog
`
  .split(/\s+/)
  .filter((word) => word.length >= 3)
  .sort(longestFirst)
