import type { AgentLanguage } from '../plan.ts'

// Words of times by language.

export interface ClockWords {
  /** After the hour: "o'clock", "Uhr", "heures". */
  hour: string
  minute: string
  /** Added to the hour: "half past three", "trois heures et demie". */
  half: string
  /** Half an hour before the hour: "halb vier" is 3:30. */
  halfTo: string
  quarter: string
  threeQuartersTo: string
  past: string
  to: string
  noon: string
  midnight: string
  am: string
  pm: string
  /** Morning, afternoon or evening, by the hour: "zwölf Uhr mittags". */
  midday: string
  night: string
}

export const clockWords: Record<AgentLanguage, ClockWords> = {
  en: {
    hour: 'o clock, oclock, hours, hundred hours',
    minute: 'minute, minutes',
    half: 'half past, half',
    halfTo: '',
    quarter: 'quarter, a quarter',
    threeQuartersTo: '',
    past: 'past, after',
    to: 'to, before, till, of',
    noon: 'noon, midday, twelve noon, lunchtime, lunch time',
    midnight: 'midnight',
    am: 'am, a m, in the morning, morning, in the early morning',
    pm: 'pm, p m, in the afternoon, afternoon, in the evening, evening, this evening, tonight',
    midday: '',
    night: 'at night',
  },
  fr: {
    hour: 'heure, heures, h',
    minute: 'minute, minutes',
    half: 'et demie, et demi, demie',
    halfTo: '',
    quarter: 'et quart, un quart, quart, le quart',
    threeQuartersTo: '',
    past: 'et',
    to: 'moins',
    noon: 'midi',
    midnight: 'minuit',
    am: 'du matin, le matin, au matin, matin',
    pm: 'de l apres midi, l apres midi, apres midi, du soir, le soir, ce soir, soir',
    midday: '',
    night: 'de la nuit',
  },
  de: {
    hour: 'uhr',
    minute: 'minute, minuten',
    half: '',
    halfTo: 'halb, halber, halbe',
    quarter: 'viertel',
    threeQuartersTo: 'dreiviertel, drei viertel',
    past: 'nach, uber',
    to: 'vor',
    noon: 'mittag, zwolf uhr mittag',
    midnight: 'mitternacht',
    am: 'morgens, am morgen, vormittags, am vormittag, fruh, in der fruh, vormittag',
    pm: 'nachmittags, am nachmittag, abends, am abend, nachmittag, abend',
    midday: 'mittags, am mittag',
    night: 'nachts, in der nacht',
  },
  es: {
    hour: 'hora, horas, h, en punto',
    minute: 'minuto, minutos',
    half: 'y media, media',
    halfTo: '',
    quarter: 'cuarto, y cuarto, un cuarto',
    threeQuartersTo: '',
    past: 'y, con',
    to: 'menos, para',
    noon: 'mediodia, medio dia',
    midnight: 'medianoche, media noche',
    am: 'de la manana, por la manana, de la madrugada, am, a m',
    pm: 'de la tarde, por la tarde, pm, p m',
    midday: 'del mediodia',
    night: 'de la noche, por la noche',
  },
  it: {
    hour: 'ora, ore, h, in punto',
    minute: 'minuto, minuti',
    half: 'e mezza, e mezzo, mezza',
    halfTo: '',
    quarter: 'quarto, un quarto, e un quarto',
    threeQuartersTo: '',
    past: 'e',
    to: 'meno',
    noon: 'mezzogiorno, mezzodi',
    midnight: 'mezzanotte',
    am: 'di mattina, del mattino, della mattina, mattina, la mattina',
    pm: 'del pomeriggio, di pomeriggio, pomeriggio, di sera, della sera, sera',
    midday: '',
    night: 'di notte, della notte',
  },
  nl: {
    hour: 'uur, u',
    minute: 'minuut, minuten',
    half: '',
    halfTo: 'half',
    quarter: 'kwart, kwartier, een kwartier',
    threeQuartersTo: '',
    past: 'over, na',
    to: 'voor',
    noon: '',
    midnight: 'middernacht',
    am: 's ochtends, s morgens, ochtend, in de ochtend, smorgens, sochtends, s voormiddags',
    pm: 's avonds, avond, in de avond, savonds, s namiddags, in de namiddag',
    midday: 's middags, middag, in de middag, smiddags',
    night: 's nachts, in de nacht, snachts',
  },
}
