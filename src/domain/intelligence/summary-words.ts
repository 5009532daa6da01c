/** How callers state the reason of a call, and how a call ends. Words are in the form of `callerWords`. */
export interface SummaryWords {
  openings: readonly string[]
  reasons: readonly string[]
  /** In a call by the agent. */
  agentReasons: readonly string[]
  solved: readonly string[]
  labels: Record<'reason' | 'outcome' | 'agent' | 'customer' | 'followUp' | 'solved' | 'unsolved' | 'open', string>
}

const en: SummaryWords = {
  openings: [
    'hello, hi, hey, good morning|afternoon|evening, thanks, thank you, yes, yeah, no, okay, ok, well, so, oh, right, perfect, great',
    'my name is, this is, i am fine, how are you, sorry, please, all right, sure, of course, very much, will do, i see, that is fine',
  ],
  reasons: [
    'it|this is about|regarding|concerning, calling|call|phoning|ringing about|because|regarding|to|for, i|we would like|love, i|we want|need, i|we am|are looking',
    'i|we have|had _ question|problem|issue|appointment|accident|complaint, i|we ordered|bought|booked|applied|moved|paid|received',
    'i|we can not, my|our|the|your|one _ is|are|does|do|did|has|was|were|says|makes|restarts|will, is|are my|the|it',
    'question about, interested in, i|we wonder, do|can|could|would you|i, what|when|where|how, reason i, help me|us',
    'you have not, i lost, i forgot, i did not, there is _ problem|error|mistake|noise',
  ],
  agentReasons: [
    'calling|phoning about|because|regarding|to|from, it is _ from, you need|have to, your _ is, reason i',
  ],
  solved: [
    'it|that|everything works, working now|again, that _ works, i|we have reset|changed|cancelled|booked|corrected|updated|sent|added',
    'i|we have moved|refunded|ordered|renewed|extended|registered|fixed|done, is done, all done, all set, is booked|confirmed|sorted',
    'there it is, was paid, that is easy, that helps|helped, that answers, that is all, that solves|solved, it is back, see you',
  ],
  labels: {
    reason: 'Reason',
    outcome: 'Outcome',
    agent: 'Agent',
    customer: 'Customer',
    followUp: 'open, next steps were promised or requested.',
    solved: 'settled on the call',
    unsolved: 'no solution agreed, the customer is dissatisfied.',
    open: 'no next step was named.',
  },
}

const fr: SummaryWords = {
  openings: [
    'bonjour, bonsoir, allo, merci, oui, non, d accord, parfait, tres bien, je m appelle, ici, excusez moi, alors, euh, eh bien, bon',
    'madame, monsieur, s il vous plait, je suis madame|monsieur, beaucoup',
  ],
  reasons: [
    'appelle pour|parce|car|au|concernant, je|nous voudrais|voudrions|souhaite|souhaiterais|aimerais|aimerions|veux|cherche',
    'j ai|avons _ probleme|question|accident|commande*|recu|demenage|achete*|reserve*, mon|ma|mes|notre|le|la|les|votre _ est|sont|ne|n',
    'est ce que, pouvez|pourriez vous, avez vous, quel*|quand|comment|combien, il me faudrait, c est pour, au sujet',
    'ne marche|fonctionne, vous fermez|ouvrez, je n arrive',
  ],
  agentReasons: ['appelle pour|au|concernant|de, il faut, vous devez'],
  solved: [
    'ca|tout marche|fonctionne, c est fait|regle|note|confirme|bon, j ai annule|modifie|change|envoye|corrige|reserve|note, a mardi',
    'est reserve|annule|confirme|regle, a lundi|mercredi|jeudi|vendredi|samedi, parfait merci, c est tout, ca m aide',
  ],
  labels: {
    reason: 'Motif',
    outcome: 'Résultat',
    agent: 'Agent',
    customer: 'Client',
    followUp: 'en cours, des suites sont promises ou demandées.',
    solved: 'réglé pendant l’appel',
    unsolved: 'aucune solution convenue, le client est mécontent.',
    open: 'aucune suite mentionnée.',
  },
}

const de: SummaryWords = {
  openings: [
    'guten tag|morgen|abend, hallo, danke, vielen dank, ja, nein, okay, ok, gut, genau, mein name ist, hier ist, hier spricht',
    'entschuldigung, also, perfekt, alles klar, schon, bitte, gruss gott, in ordnung, servus, moin',
  ],
  reasons: [
    'rufe _ an wegen, rufe an, wegen, es geht um, ich|wir mochte|mochten|brauche|brauchen|hatte|hatten|will|wollen|suche|wurde',
    'ich|wir habe|haben|hatte|bin _ bestellt|gekauft|gebucht|problem|frage|unfall|ausgezogen|umgezogen|bekommen|erhalten',
    'mein|meine|unser|unsere|der|die|das|ihr|ihre _ ist|sind|funktioniert|geht|lauft|kam|wurde, ist mein|meine|das|der|die',
    'konnen|konnten sie, haben sie, was|wann|wie|wo|bis, gibt es, ich kann nicht, ich komme nicht',
  ],
  agentReasons: ['rufe _ an, wegen, es geht um, sie mussen|mussten'],
  solved: [
    'es|das|alles funktioniert|geht|lauft|klappt, ist erledigt|gebucht|bestatigt|storniert|geandert, habe _ storniert|geandert|gebucht',
    'habe _ verschoben|geschickt|eingetragen|korrigiert, das war, das hilft, bis dienstag|montag|mittwoch|donnerstag|freitag|samstag',
    'perfekt danke',
  ],
  labels: {
    reason: 'Anliegen',
    outcome: 'Ergebnis',
    agent: 'Agent',
    customer: 'Kunde',
    followUp: 'offen, nächste Schritte sind zugesagt oder erbeten.',
    solved: 'im Gespräch erledigt',
    unsolved: 'keine Lösung vereinbart, der Kunde ist unzufrieden.',
    open: 'kein nächster Schritt genannt.',
  },
}

export const summaryWords: Readonly<Partial<Record<string, SummaryWords>>> = { en, fr, de }
