import type { AgentLanguage } from '../plan.ts'

// Words of dates by language. Months from January, weekdays from Monday.

export interface CalendarWords {
  months: string
  weekdays: string
  today: string
  tomorrow: string
  dayAfterTomorrow: string
  yesterday: string
  dayBeforeYesterday: string
  /** "in two weeks" */
  within: string
  /** "two days ago" */
  ago: string
  day: string
  week: string
  fortnight: string
  month: string
  year: string
  next: string
  /** "this Friday", "the coming Friday" */
  coming: string
  last: string
  /** A week later: "Tuesday week", "mardi en huit". */
  weekLater: string
  twoWeeksLater: string
  /** "next Friday" means the Friday of next week. */
  nextIsNextWeek: boolean
  /** "the end of the month" */
  end: string
}

export const calendarWords: Record<AgentLanguage, CalendarWords> = {
  en: {
    months:
      'january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,september sept sep,october oct,november nov,december dec',
    weekdays: 'monday mon,tuesday tue tues,wednesday wed,thursday thu thurs,friday fri,saturday sat,sunday sun',
    today: 'today, tonight, this evening, this afternoon, this morning',
    tomorrow: 'tomorrow, tomorrow morning',
    dayAfterTomorrow: 'day after tomorrow, the day after tomorrow, overmorrow',
    yesterday: 'yesterday',
    dayBeforeYesterday: 'day before yesterday, the day before yesterday',
    within: 'in, within, from now, from today, after',
    ago: 'ago',
    day: 'day, days',
    week: 'week, weeks',
    fortnight: 'fortnight, fortnights',
    month: 'month, months',
    year: 'year, years',
    next: 'next, following',
    coming: 'this, coming, upcoming, this coming, the coming',
    last: 'last, past, previous',
    weekLater:
      'week, in a week, a week later, a week on, week on, a week, a week from, week from, one week from, a week after',
    twoWeeksLater: 'fortnight, in two weeks, two weeks from, two weeks on, a fortnight on, a fortnight from',
    nextIsNextWeek: true,
    end: 'end of the month, end of month, last day of the month',
  },
  fr: {
    months: 'janvier,fevrier,mars,avril,mai,juin,juillet,aout,septembre,octobre,novembre,decembre',
    weekdays: 'lundi,mardi,mercredi,jeudi,vendredi,samedi,dimanche',
    today: 'aujourd hui, ce soir, cet apres midi, ce matin',
    tomorrow: 'demain',
    dayAfterTomorrow: 'apres demain, surlendemain',
    yesterday: 'hier',
    dayBeforeYesterday: 'avant hier',
    within: 'dans, d ici',
    ago: 'il y a',
    day: 'jour, jours',
    week: 'semaine, semaines',
    fortnight: 'quinzaine',
    month: 'mois',
    year: 'an, ans, annee, annees',
    next: 'prochain, prochaine, qui vient, suivant, suivante',
    coming: 'ce, cette, ce prochain',
    last: 'dernier, derniere, passe, passee',
    weekLater: 'en huit',
    twoWeeksLater: 'en quinze',
    nextIsNextWeek: false,
    end: 'fin du mois, fin de mois, dernier jour du mois',
  },
  de: {
    months:
      'januar jaenner janner jan,februar feb feber,marz maerz,april apr,mai,juni juno jun,juli julei jul,august aug,september sept sep,oktober okt,november nov,dezember dez',
    weekdays:
      'montag montags mo,dienstag dienstags,mittwoch mittwochs,donnerstag donnerstags,freitag freitags,samstag sonnabend samstags,sonntag sonntags',
    today: 'heute, heute abend, heute nachmittag',
    tomorrow: 'morgen, morgen fruh',
    dayAfterTomorrow: 'ubermorgen, uebermorgen',
    yesterday: 'gestern',
    dayBeforeYesterday: 'vorgestern',
    within: 'in, innerhalb von',
    ago: 'vor',
    day: 'tag, tage, tagen',
    week: 'woche, wochen',
    fortnight: 'vierzehn tage',
    month: 'monat, monate, monaten, monats',
    year: 'jahr, jahre, jahren',
    next: 'nachste, nachsten, nachster, nachstem, nachstes, naechsten, naechste',
    coming: 'diesen, dieser, diese, diesem, dieses, kommenden, kommende, kommender, kommendem',
    last: 'letzten, letzte, letzter, letztes, vergangenen, vorigen, vorige',
    weekLater: 'in einer woche, in acht tagen, uber eine woche',
    twoWeeksLater: 'in zwei wochen, in vierzehn tagen',
    nextIsNextWeek: true,
    end: 'ende des monats, monatsende, letzter tag des monats, letzten tag des monats',
  },
  es: {
    months: 'enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre setiembre,octubre,noviembre,diciembre',
    weekdays: 'lunes,martes,miercoles,jueves,viernes,sabado,domingo',
    today: 'hoy, esta tarde, esta noche, esta manana',
    tomorrow: 'manana',
    dayAfterTomorrow: 'pasado manana',
    yesterday: 'ayer',
    dayBeforeYesterday: 'anteayer, antes de ayer, antier',
    within: 'dentro de, en, de aqui a',
    ago: 'hace',
    day: 'dia, dias',
    week: 'semana, semanas',
    fortnight: 'quincena',
    month: 'mes, meses',
    year: 'ano, anos',
    next: 'proximo, proxima, que viene, siguiente',
    coming: 'este, esta, este proximo',
    last: 'pasado, pasada, ultimo',
    weekLater: 'en ocho, de la otra semana, en una semana, de la semana siguiente',
    twoWeeksLater: 'en quince, en dos semanas',
    nextIsNextWeek: false,
    end: 'fin de mes, final de mes, ultimo dia del mes, finales de mes',
  },
  it: {
    months: 'gennaio,febbraio,marzo,aprile,maggio,giugno,luglio,agosto,settembre,ottobre,novembre,dicembre',
    weekdays: 'lunedi,martedi,mercoledi,giovedi,venerdi,sabato,domenica',
    today: 'oggi, stasera, stamattina, questa sera, oggi pomeriggio',
    tomorrow: 'domani',
    dayAfterTomorrow: 'dopodomani, dopo domani',
    yesterday: 'ieri',
    dayBeforeYesterday: 'l altro ieri, avantieri, altro ieri',
    within: 'tra, fra, entro',
    ago: 'fa',
    day: 'giorno, giorni',
    week: 'settimana, settimane',
    fortnight: 'quindicina',
    month: 'mese, mesi',
    year: 'anno, anni',
    next: 'prossimo, prossima, che viene, seguente, venturo',
    coming: 'questo, questa, questo prossimo',
    last: 'scorso, scorsa, passato, passata',
    weekLater: 'a otto, tra una settimana, fra una settimana, della settimana dopo',
    twoWeeksLater: 'a quindici, tra due settimane, fra due settimane',
    nextIsNextWeek: false,
    end: 'fine mese, fine del mese, ultimo giorno del mese',
  },
  nl: {
    months:
      'januari jan,februari feb,maart mrt,april apr,mei,juni jun,juli jul,augustus aug,september sept sep,oktober okt,november nov,december dec',
    weekdays: 'maandag,dinsdag,woensdag,donderdag,vrijdag,zaterdag,zondag',
    today: 'vandaag, vanavond, vanmiddag, vanochtend',
    tomorrow: 'morgen, morgenochtend, morgenmiddag, morgenavond',
    dayAfterTomorrow: 'overmorgen',
    yesterday: 'gisteren',
    dayBeforeYesterday: 'eergisteren',
    within: 'over, binnen',
    ago: 'geleden',
    day: 'dag, dagen',
    week: 'week, weken',
    fortnight: 'veertien dagen',
    month: 'maand, maanden',
    year: 'jaar, jaren',
    next: 'volgende, eerstvolgende',
    coming: 'deze, dit, komende, aanstaande, aankomende',
    last: 'vorige, afgelopen, verleden',
    weekLater: 'over een week, over acht dagen',
    twoWeeksLater: 'over twee weken, over veertien dagen',
    nextIsNextWeek: true,
    end: 'eind van de maand, einde van de maand, laatste dag van de maand, eind deze maand',
  },
}
