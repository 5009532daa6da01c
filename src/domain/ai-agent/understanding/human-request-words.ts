import type { AgentLanguage } from '../plan.ts'

// Words of callers who ask for a human, by language. `*` stands for any ending.

export interface HumanRequestWords {
  /** Verbs of being connected: they ask for anyone. */
  talk: string
  /** Verbs of wanting: they ask only for a human by name ("I need someone to fix it" is no request). */
  want: string
  human: string
  anyone: string
  /** Complete requests without a noun: "put me through". */
  through: string
  machine: string
  /** With a machine, these are requests for a human: "I am tired of talking to a machine". */
  refusal: string
  not: string
  /** Questions about the agent: "are you a human?" */
  about: string
  /** Words around a bare "operator, please". */
  polite: string
  /** Verbs of talking in any form: "I am not talking to a machine". */
  converse: string
  /** A negated question is a request: "why can't I talk to a human?" */
  why: string
}

export const humanRequestWords: Record<AgentLanguage, HumanRequestWords> = {
  en: {
    talk: 'speak, talk, chat, put me through, put me on, transfer me, connect me, pass me, hand me, forward me, switch me, patch me, put through, be transferred, be connected, get through, deal with, get hold of, reach, redirect me, escalate, i can talk to, i can speak to, i can speak with, to talk to, to speak to, to speak with, to talk with',
    want: 'want, need, get me, give me, get, can i have, may i have, could i have, let me have, like, prefer, rather, fetch me, find me, looking for, bring me, demand, request, ask for, is there, are there',
    human:
      'human, humans, colleagues, agents, operators, representatives, advisors, managers, human being, person, real person, actual person, live person, agent, live agent, real agent, operator, representative, rep, colleague, manager, supervisor, advisor, adviser, boss, staff member, member of staff, team member, receptionist, assistant manager, customer care, customer service, customer services, customer support, live support, support agent, actual human, somebody real, someone real, real one, real someone, employee, consultant, clerk',
    anyone:
      'somebody, someone, anybody, anyone, people, team, staff, support, technical support, sales, billing, accounts, reception, front desk, help desk, service desk, department, complaints, somebody else, someone else, specialist, technician, expert, in charge, who can help, owner, secretary, office',
    through:
      'put me through, transfer me, connect me, pass me on, hand me over, transfer my call, put me through please, switch me over',
    machine:
      'machine, bots, robot, bot, computer, ai, recording, automated system, machines, robots, computers, voice bot, chatbot, answering machine, automaton, program',
    refusal:
      'not, sick of, tired of, done, done with, hate, refuse, fed up, enough of, no more, stop, no, instead of, rather than',
    not: 'not, no need, never, without, nobody, rather not',
    about: 'are you, is this, am i, are u, is that, so you are, you are, was that, were you, did i, did you, have i',
    polite:
      'a, an, the, please, your, my, real, live, actual, now, just, some, hello, hi, thanks, thank, you, okay, ok, yes, no, well, uh, um, i, said, to, with, another, different, or, right, away, hey',
    converse: 'talk, talking, speak, speaking, chat, deal, dealing, want',
    why: 'why, can not i, could not i, is not there, are not there, will not you, would you not, if you can not',
  },
  fr: {
    talk: 'parler, passez moi, passer, me passer, transferer, transferez moi, transferez, mettez moi en relation, mettre en relation, mettre en contact, mettez moi en contact, discuter, joindre, m entretenir, avoir en ligne, echanger avec, a qui je peux parler, a qui parler, a qui je pourrais parler, repassez moi, basculez moi, connectez moi, avoir affaire',
    want: 'veux, voudrais, souhaite, souhaiterais, besoin, donnez moi, avoir, prefere, prefererais, aimerais, demande, exige, il me faut, faut, trouvez moi, y a t il, cherche',
    human:
      'humain, humaine, etre humain, personne, vraie personne, conseiller, conseillere, operateur, operatrice, agent, collegue, responsable, superieur, superieure, manager, chef, gestionnaire, standardiste, employe, employee, vrai, interlocuteur, interlocutrice, service client, service clients, teleconseiller, vrai humain, directeur, directrice',
    anyone:
      'quelqu un, quelqu un d autre, service, accueil, standard, secretariat, support, technicien, technicienne, service commercial, comptabilite, equipe, commercial, facturation, assistance, secretaire, bureau, specialiste, patron',
    through: 'transferez moi, passez moi quelqu un, mettez moi en relation, transferez mon appel, passez moi un',
    machine:
      'machine, robot, ordinateur, automate, bot, ia, repondeur, boite vocale, machines, robots, intelligence artificielle',
    refusal: 'pas, marre, assez, refuse, deteste, non, plus, ras le bol, arretez, au lieu, plutot que, fatigue, jamais',
    not: 'pas, aucun, aucune, sans, jamais, inutile, ni',
    about:
      'etes vous, vous etes, es tu, tu es, est ce que vous etes, c est, est ce que je parle, je parle a, suis je, est ce un, est ce une, je suis en train, est ce que c est',
    polite:
      'un, une, le, la, l, d, de, s, il, vous, te, plait, svp, bonjour, merci, oui, non, juste, vrai, vraie, votre, a, euh, et, alors, bon, autre, maintenant, tout, suite',
    converse: 'parler, parle, discuter, veux',
    why: 'pourquoi, est ce que je ne peux pas, je ne peux pas, on ne peut pas, je peux pas, n y a t il pas, n y a pas, y a pas',
  },
  de: {
    talk: 'sprechen, reden, verbinden, verbunden, durchstellen, durchgestellt, verbinden sie, stellen sie, weiterleiten, weiterverbinden, ans telefon, an den apparat, telefonieren, unterhalten, weitergeleitet, an die strippe, erreichen, leiten sie, leite mich, verbinde, verbinde mich, stell',
    want: 'will, möchte, brauche, geben sie, gib, hätte, hätte gern, hätte gerne, bevorzuge, verlange, holen sie, hol, wünsche, gibt es, kann ich, haben sie, darf ich, würde, bitte um',
    human:
      'mensch, menschen, mitarbeiter, mitarbeiterin, mitarbeitern, sachbearbeiter, sachbearbeiterin, kollege, kollegen, kollegin, berater, beraterin, person, echte person, echten person, vorgesetzten, vorgesetzter, vorgesetzte, chef, chefin, agenten, agent, ansprechpartner, ansprechpartnerin, kundenberater, kundenberaterin, kundenservice, kundendienst, zentrale, vermittlung, geschäftsführer, verantwortlichen, verantwortlicher, leiter, teamleiter, menschliches wesen, filialleiter',
    anyone:
      'jemanden, jemandem, jemand anderen, wen, service, support, buchhaltung, vertrieb, abteilung, technik, techniker, empfang, rechnungsabteilung, team, büro, sekretariat, fachmann, personal, verkauf',
    through:
      'stellen sie mich durch, stellen sie mich bitte durch, verbinden sie mich, verbinden sie mich bitte, bitte verbinden, verbinde mich, leiten sie mich weiter, durchstellen bitte, bitte durchstellen, mich durchstellen, mich verbinden, mich weiterleiten, mich weiterverbinden, leiten sie mich bitte weiter',
    machine:
      'maschine, computer, roboter, bot, automaten, automat, ki, anrufbeantworter, maschinen, computern, robotern, blechkiste, sprachcomputer, bandansage, band',
    refusal:
      'nicht, kein, keine, keinen, keinem, keiner, satt, genug, hasse, leid, statt, anstatt, aufhören, schluss, weigere, nie, nervt, nein',
    not: 'nicht, kein, keine, keinen, keinem, keiner, niemanden, niemandem, ohne, nie',
    about:
      'sind sie, bist du, ist das, spreche ich, rede ich, bin ich, sie sind, habe ich, hab ich, sie klingen, haben sie mit',
    polite:
      'ein, eine, einen, einem, einer, bitte, den, die, das, der, echter, echten, echte, ja, nein, hallo, guten, tag, danke, jetzt, ihr, ihren, nur, mit, zum, zur, an, äh, ähm, einfach, sofort, richtigen, anderen',
    converse: 'sprechen, spreche, reden, rede, unterhalten, will, mochte',
    why: 'warum, wieso, weshalb, kann ich nicht, könnte ich nicht, gibt es keinen, gibt es denn keinen, gibt es niemanden, gibt es bei ihnen keinen, gibt es hier keinen',
  },
  es: {
    talk: 'hablar, paseme, pasame, pasar, pasarme, poner, ponerme, pongame, ponme, comunicar, comunicarme, comuniqueme, transferir, transferirme, transfierame, conectar, conecteme, conectarme, atienda, atender, derivar, deriveme, contactar, conversar, que me atienda, con quien pueda hablar, con quien puedo hablar, con quien hablar',
    want: 'quiero, quisiera, necesito, deme, dame, me gustaria, prefiero, busco, exijo, pido, querria, puedo, podria, deseo',
    human:
      'persona, persona real, humano, humana, ser humano, agente, operador, operadora, representante, compañero, compañera, encargado, encargada, responsable, supervisor, supervisora, gerente, jefe, jefa, asesor, asesora, gestor, gestora, empleado, empleada, atencion al cliente, servicio al cliente, director, ejecutivo, ejecutiva, teleoperador, teleoperadora, persona de verdad',
    anyone:
      'alguien, alguien mas, servicio, servicio tecnico, soporte, ventas, facturacion, recepcion, departamento, equipo, tecnico, administracion, centralita, contabilidad, secretaria, oficina, especialista, comercial',
    through: 'paseme, transfierame, transfiera mi llamada, pongame con, comuniqueme, pase la llamada, paseme ya',
    machine:
      'maquina, robot, ordenador, computadora, contestador, bot, ia, grabacion, maquinas, robots, inteligencia artificial',
    refusal: 'no, harto, harta, odio, basta, cansado, cansada, en vez, en lugar, nada de, me niego, dejar, paso de',
    not: 'no, ningun, ninguna, ninguno, sin, nadie, nunca, tampoco',
    about:
      'es usted, eres, usted es, estoy hablando, hablo con, es esto, esto es, tu eres, es una, es un, sera usted, esta usted, he hablado',
    polite:
      'un, una, el, la, con, por, favor, de, verdad, real, hola, buenas, si, no, gracias, su, ya, otra, otro, ahora, pues, eh, quiero, buenos, dias',
    converse: 'hablar, hablo, hablando, quiero',
    why: 'por que no puedo, por que, no hay nadie, no puedo, no podria, no hay ningun, no hay ninguna, no hay alguna',
  },
  it: {
    talk: 'parlare, parli, passi, passarmi, mi passi, passami, passare, mi metta, mettermi, mi colleghi, collegarmi, mi trasferisca, trasferirmi, trasferire, mettere in contatto, in contatto, contattare, mi connetta, connettermi, conferire, mi inoltri, dialogare, comunicare, con cui posso parlare, con cui parlare, con cui potrei parlare',
    want: 'voglio, vorrei, ho bisogno, mi serve, mi dia, dammi, preferisco, preferirei, desidero, cerco, esigo, pretendo, chiedo, posso avere, avere, mi piacerebbe, potrei avere, mi trovi',
    human:
      'persona, persona vera, persona reale, umano, essere umano, umana, operatore, operatrice, agente, addetto, addetta, collega, responsabile, superiore, capo, direttore, direttrice, consulente, impiegato, impiegata, assistenza clienti, servizio clienti, supervisore, centralinista, rappresentante, titolare, incaricato',
    anyone:
      'qualcuno, qualcun altro, qualcuno d altro, assistenza, supporto, ufficio, reparto, vendite, contabilita, amministrazione, tecnico, centralino, segreteria, reception, squadra, servizio, assistenza tecnica, commerciale, specialista',
    through:
      'c e un operatore, mi passi qualcuno, mi trasferisca, mi colleghi, passi la chiamata, mi passi, trasferisca la chiamata',
    machine:
      'macchina, robot, computer, risponditore, bot, ia, segreteria telefonica, voce registrata, macchine, intelligenza artificiale, disco',
    refusal: 'non, stufo, stufa, basta, odio, stanco, stanca, invece, al posto, no, mi rifiuto, smetta, niente',
    not: 'non, nessun, nessuna, senza, nessuno, mai, neanche',
    about: 'lei e, sei, e lei, sto parlando, parlo con, e questo, tu sei, siete, ho gia, ma lei',
    polite:
      'un, una, uno, il, la, lo, per, favore, grazie, con, vero, vera, reale, si, no, buongiorno, salve, vostro, vostra, altro, altra, subito, adesso, cortesia, l, ehm, allora, pronto',
    converse: 'parlare, parlo, parlando, voglio',
    why: 'perche non, perche, non posso, non potrei, non c e nessuno, non c e un, non ci sarebbe',
  },
  nl: {
    talk: 'spreken, praten, doorverbinden, doorverbonden, verbind, verbind me, verbindt u, doorschakelen, verbinden, aan de lijn, contact met, te woord, overleggen, telefoneren, aan de telefoon, bereiken, doorzetten, te spreken, kletsen',
    want: 'wil, wou, zou graag, graag, nodig, geef, geeft u, kan ik, mag ik, liever, verlang, zoek, is er, krijgen, wens, eis, heeft u, haal',
    human:
      'mens, echt mens, medewerker, medewerkster, persoon, echt persoon, echte persoon, collega, leidinggevende, manager, chef, baas, operator, telefonist, telefoniste, agent, adviseur, vertegenwoordiger, klantenservice, supervisor, verantwoordelijke, levend mens, levend persoon, teamleider, directeur, mensen, medewerkers, servicemedewerker, helpdeskmedewerker',
    anyone:
      'iemand, iemand anders, afdeling, verkoop, administratie, receptie, helpdesk, technische dienst, team, monteur, boekhouding, service, support, facturatie, balie, secretariaat, kantoor, specialist',
    through:
      'verbind me door, verbind mij door, verbindt u mij door, verbindt u me door, doorverbinden graag, mij doorverbinden, me doorverbinden, graag doorverbinden, niemand die ik kan spreken, schakel me door, zet me door, doorverbinden alstublieft',
    machine:
      'computer, robot, machine, bot, apparaat, antwoordapparaat, machines, automaat, ai, bandje, computers, robots, chatbot, ding',
    refusal: 'niet, geen, genoeg, zat, haat, stop, beu, in plaats, weiger, nee, moe van, klaar met',
    not: 'niet, geen, niemand, zonder, nooit',
    about: 'bent u, ben je, is dit, is dat, spreek ik, praat ik, heb ik, u bent, jij bent, ben ik',
    polite:
      'een, de, het, alstublieft, alsjeblieft, graag, echt, echte, ja, nee, hallo, goedendag, dank, u, bedankt, nu, met, uw, jullie, andere, gewoon, eh, uh, aub, dag, direct',
    converse: 'praten, praat, spreken, spreek, wil',
    why: 'waarom, kan ik niet, mag ik niet, is er niemand, is er geen, is er dan niemand',
  },
}
