import type { AgentLanguage } from '../plan.ts'

// Words of agreement and refusal by language.

export interface YesNoWords {
  /** Agreement that outweighs an earlier refusal: "no, yes, that is right". */
  yes: string
  /** Statements that can be negated: "that is right", "not right". */
  right: string
  /** Acceptance; after a "no" it agrees with the refusal: "no, that is fine". */
  fine: string
  no: string
  /** Statements of an error; negated they agree: "nothing wrong with that". */
  wrong: string
  not: string
  unsure: string
  /** Negated they express uncertainty: "not sure". */
  certain: string
  /** Beginnings of a question to the agent. */
  question: string
  /** Agreement only if nothing else is said: "it is". */
  alone: string
}

export const yesNoWords: Record<AgentLanguage, YesNoWords> = {
  en: {
    yes: 'yes, yeah, yea, yep, yup, yah, yes please, uh huh, uhuh, mm hmm, mmhmm, mhm, mm hm, aye, indeed, exactly, precisely, absolutely, definitely, of course, affirmative, spot on, bang on, you got it, got it in one, you are right, i think so, i believe so, i guess so, i suppose so, i hope so, i would say so, why not, for sure, bingo, that is the one, that is me, that is what i want, that is my number, that is my name, that is my address, that is mine, that is mine, you bet, by all means, no doubt, nothing wrong, no mistake, go for it, certainly, totally, naturally, that is it, agreed, confirmed',
    right:
      'right, correct, true, accurate, matches, sounds about right, confirm, i confirm, agree, it, what i said, that one, exact',
    fine: 'ok, okay, okey, k, fine, good, great, perfect, alright, all right, cool, lovely, brilliant, super, wonderful, excellent, awesome, works, suits, no problem, no problems, no worries, no issue, no issues, no objection, no objections, no changes, go ahead, please do, do that, do it, carry on, deal, happy with, that will do, not bad, sweet, do so, nice',
    no: 'no, nope, nah, naw, negative, no way, no thanks, no thank you, not at all, never, not quite, not exactly, not really, not yet, not anymore, i do not think so, do not think so, not that i know, i would rather not, rather not, no need, hell no, on the contrary, neither, nothing like that, none',
    wrong:
      'wrong, problem, disagree, incorrect, false, mistake, mistaken, error, misheard, misunderstood, untrue, inaccurate, different, off, bad, mixed up',
    not: 'not, never, hardly, nothing',
    unsure:
      'no idea, no clue, maybe, perhaps, possibly, probably, might be, could be, hard to say, it depends, depends, hold on, hang on, wait, one moment, one second, a second, a moment, just a moment, let me check, let me see, let me think, let me look, say that again, repeat, come again, pardon, excuse me, sorry what, who knows, do not know, do not remember, do not understand, can not remember, can not hear, can not say, can not tell, could not hear, could not tell, could not say, did not hear, did not catch, did not get that, do not get it, do not recall, did not understand, have to check, need to check, unsure, i wonder, either way, what was that, beg your pardon, doubt it is',
    certain: 'sure, certain, positive',
    question:
      'what, why, how, who, when, where, which, is that, is it, is this, are you, can you, could you, would you, do you, did you, was that, will you, shall i, should i',
    alone:
      'it is, go on then, i do, i am, i will, i have, i can, i would, we do, we are, we will, we have, they are, it does, please, go on, he is, she is, that is, there is, i did, it was, thank you, thanks',
  },
  fr: {
    yes: 'oui, ouais, ouaip, ouep, si, mais si, tout a fait, avez raison, as raison, c est vrai, exactement, effectivement, absolument, bien sur, bien entendu, evidemment, certainement, c est ca, c est cela, voila, voilà, affirmatif, volontiers, avec plaisir, je crois que oui, je pense que oui, je crois bien, je pense, mmh oui, pourquoi pas, c est bien ca, c est bien moi, assurement, naturellement, carrement, oh que oui, confirme, je confirme, je valide, mm hm, mhm, hum hum, sans doute aucun, pas d erreur, pas faux',
    right: 'exact, exacte, correct, correcte, juste, vrai, ca, cela, ce que j ai dit',
    fine: 'd accord, ok, okay, bon, bien, tres bien, parfait, impeccable, super, nickel, entendu, ca marche, ca me va, ca me convient, convient, sans probleme, pas de probleme, aucun probleme, pas de souci, sans souci, aucun souci, allez y, vas y, c est bon, genial, ca roule, soit, merci bien, faites, formidable, excellent, pas mal, allez',
    no: 'non, nan, pas du tout, absolument pas, surement pas, certainement pas, bien sur que non, jamais, jamais de la vie, non merci, negatif, pas exactement, pas vraiment, pas tout a fait, je ne crois pas, je crois pas, je ne pense pas, je pense pas, je pense que non, je crois que non, pas question, hors de question, ni l un ni l autre, au contraire, plutot pas, pas encore, aucun, aucune, que non, surtout pas, pas besoin',
    wrong:
      'faux, fausse, incorrect, incorrecte, inexact, erreur, trompe, trompez, trompee, tromper, mauvais, mauvaise, errone, mal compris, mal entendu',
    not: 'pas, jamais, plus du tout, rien',
    unsure:
      'sais pas, sais rien, je ne sais pas, je ne sais plus, sais plus, peut etre, probablement, possible, aucune idee, pas d idee, ca depend, attendez, attends, un instant, un moment, une seconde, une minute, repeter, repetez, pardon, comment, quoi, laissez moi verifier, je verifie, je dois verifier, il faut que je verifie, pas compris, pas entendu, comprends pas, entends pas, me souviens pas, me rappelle pas, j hesite, difficile a dire, qu est ce que, sans doute, vous dites, plait il, je reflechis, voyons voir, bof',
    certain: 'sur, sure, certain, certaine, convaincu, convaincue',
    question: 'est ce que, qu est ce, pourquoi, quand, qui, quel, quelle, combien, pouvez vous, pourriez vous, est il',
    alone: 'je veux bien, s il vous plait, merci, c est moi, ca l est, je le suis, je l ai',
  },
  de: {
    yes: 'ja, jo, jep, jup, jawohl, jawoll, jaja, genau, exakt, richtig so, absolut, definitiv, natürlich, naturlich, selbstverständlich, sicherlich, klar, na klar, aber klar, klaro, auf jeden fall, auf alle fälle, freilich, gewiss, ich denke schon, ich glaube schon, ich glaube ja, denke ja, ich meine schon, doch, aber sicher, sicher doch, mhm, hm hm, aha ja, eben, so ist es, können wir so machen, so machen wir, genauso, das bin ich, warum nicht, wieso nicht, bestätige, bestätigt, zweifellos, unbedingt, und ob, gern, gerne, sehr gerne, allerdings, durchaus, jap, joa, nichts falsch, einverstanden',
    right: 'richtig, korrekt, stimmt, stimmt so, zutreffend, trifft zu, wahr, passt, das, recht, so',
    fine: 'ok, okay, okey, gut, sehr gut, prima, super, perfekt, in ordnung, geht klar, geht in ordnung, alles klar, alles gut, alles bestens, bestens, wunderbar, toll, kein problem, keine probleme, kein thema, keine einwände, machen sie das, machen sie, mach das, fein, schön, von mir aus, meinetwegen, hervorragend, ausgezeichnet, geht, nicht schlecht, klasse, können sie machen',
    no: 'nein, nee, ne, nö, noe, nope, auf keinen fall, keinesfalls, keineswegs, niemals, nie, nein danke, lieber nicht, eher nicht, nicht ganz, nicht wirklich, nicht genau, ich glaube nicht, ich denke nicht, glaube kaum, wohl kaum, überhaupt nicht, gar nicht, bestimmt nicht, noch nicht, im gegenteil, ach was, negativ, weder noch, keine, keiner, kein bedarf, von wegen, kommt nicht in frage, nicht nötig',
    wrong:
      'falsch, verkehrt, fehler, fehlerhaft, unrichtig, inkorrekt, irrtum, irren, vertan, verhört, verstanden haben, anders, daneben, quatsch',
    not: 'nicht, nie, kein, keinen, net, nichts',
    unsure:
      'weiß nicht, weiß ich nicht, weiß es nicht, weiß das nicht, weiß ich gerade nicht, weiß ich leider nicht, keine ahnung, vielleicht, möglicherweise, eventuell, wahrscheinlich, kann sein, könnte sein, mag sein, kommt drauf an, kommt darauf an, moment, augenblick, sekunde, sekündchen, warten sie, warte, wie bitte, wiederholen, noch mal, nochmal, noch einmal, was haben sie gesagt, nicht verstanden, verstehe nicht, verstehe ich nicht, verstehe sie nicht, höre sie nicht, erinnere mich nicht, muss nachsehen, muss nachschauen, muss ich nachsehen, ich schaue nach, schwer zu sagen, mal sehen, jein, entschuldigung was, je nachdem, überlegen, muss ich prüfen',
    certain: 'sicher, bestimmt, überzeugt',
    question:
      'was, warum, wieso, wie, wer, wann, wo, welche, welcher, können sie, könnten sie, ist das, ist es, stimmt das, haben sie, sind sie',
    alone:
      'bitte, danke, ist es, bin ich, habe ich, kann ich, will ich, mache ich, so machen wir das, wir auch, ich auch',
  },
  es: {
    yes: 'si, sip, sii, claro, claro que si, por supuesto, desde luego, exacto, exactamente, efectivamente, en efecto, asi es, es verdad, tiene razon, tienes razon, ese es, esa es, este es, esta es, eso es, eso mismo, justo, justamente, precisamente, cierto, ciertamente, afirmativo, creo que si, pienso que si, me parece que si, supongo que si, diria que si, aja, ajá, mhm, aha, como no, por que no, obvio, totalmente, absolutamente, sin duda, confirmo, confirmado, soy yo, el mismo, la misma, ya lo creo, naturalmente, con gusto, faltaria mas, no hay duda, con mucho gusto',
    right: 'correcto, correcta, verdad, eso, lo que dije, asi, exacta',
    fine: 'vale, ok, okay, okey, bien, muy bien, bueno, de acuerdo, perfecto, estupendo, genial, me parece bien, esta bien, me va bien, me viene bien, sin problema, ningun problema, no hay problema, no pasa nada, adelante, fenomenal, listo, conforme, dale, hagalo, hecho, excelente, andale, venga, sale, de acuerdo',
    no: 'no, nop, que no, nada de eso, para nada, en absoluto, de ninguna manera, de ningun modo, ni hablar, que va, nunca, jamas, claro que no, por supuesto que no, desde luego que no, creo que no, me parece que no, pienso que no, no gracias, negativo, tampoco, ninguno, ninguna, mejor no, todavia no, aun no, al contrario, ni mucho menos, no hace falta',
    wrong:
      'incorrecto, incorrecta, mal, equivocado, equivocada, equivoca, equivocacion, error, falso, erroneo, erronea, entendido mal, malo, distinto, diferente',
    not: 'no, nunca, ni',
    unsure:
      'no se, no lo se, no sabria, no sabria decirle, quiza, quizas, tal vez, a lo mejor, puede ser, puede que, probablemente, ni idea, no tengo idea, no tengo ni idea, depende, un momento, un momentito, un segundo, espere, espera, repetir, repita, repetirlo, como dice, como dijo, perdon, perdone, disculpe, no entiendo, no le entiendo, no he entendido, no le he entendido, no la he entendido, no entendi, no oigo, no le oigo, no recuerdo, no me acuerdo, no estoy seguro, no estoy segura, dejeme ver, dejeme mirar, tengo que mirar, tengo que comprobar, a ver, dudo, como, que dice, mas o menos, no sabe, otra vez',
    certain: 'seguro, segura, seguramente',
    question:
      'que, para que, por que, cuando, quien, cual, donde, cuanto, puede usted, podria, es usted, es correcto eso, esta usted',
    alone: 'por favor, gracias, lo es, lo soy, lo tengo, lo hare, quiero, soy',
  },
  it: {
    yes: 'si, sì, certo, certo che si, certamente, esatto, ha ragione, hai ragione, e il mio numero, e il mio nome, e il mio indirizzo, e quello, e quella, esattamente, proprio cosi, cosi, e cosi, appunto, infatti, precisamente, assolutamente, assolutamente si, sicuramente, naturalmente, ovviamente, senz altro, senza dubbio, come no, perche no, direi di si, penso di si, credo di si, mi sa di si, mi pare di si, affermativo, confermo, confermato, volentieri, con piacere, sono io, mhm, aha, eccome, altroche, già, ci mancherebbe, indubbiamente',
    right: 'giusto, giusta, corretto, corretta, vero, preciso, quello, esatta, questo',
    fine: 'va bene, bene, benissimo, ok, okay, okey, d accordo, perfetto, ottimo, nessun problema, non c e problema, non ci sono problemi, senza problemi, mi sta bene, mi va bene, buono, fatto, vada, faccia pure, proceda, prego, eccellente, magnifico, non male, andiamo, tutto bene, a posto, tutto a posto, apposto, si figuri',
    no: 'no, nono, per niente, assolutamente no, niente affatto, affatto, certo che no, ovviamente no, mai, giammai, neanche per sogno, nemmeno per idea, macche, penso di no, credo di no, direi di no, mi sa di no, no grazie, negativo, non proprio, non esattamente, non del tutto, non ancora, meglio di no, nessuno, nessuna, neanche, nemmeno, al contrario, mai e poi mai, non serve',
    wrong:
      'sbagliato, sbagliata, sbaglia, sbagliando, sbagliate, errato, errata, errore, scorretto, falso, falsa, capito male, male, diverso, equivoco',
    not: 'non, mai',
    unsure:
      'non so, non lo so, non saprei, forse, probabilmente, puo darsi, può essere, magari, dipende, boh, nessuna idea, non ne ho idea, un attimo, un momento, un secondo, aspetti, aspetta, ripetere, ripeta, ripeterlo, come scusi, scusi, come, cosa, cosa ha detto, prego ripeta, non ho capito, non capisco, non sento, non la sento, non ricordo, non mi ricordo, fammi vedere, mi faccia vedere, mi faccia controllare, devo controllare, devo vedere, devo guardare, vediamo, ho dei dubbi, difficile dirlo, non ho sentito, chi lo sa',
    certain: 'sicuro, sicura, convinto, convinta',
    question: 'che, chi, quando, dove, quale, quanto, puo, potrebbe, e lei, lei e, perche',
    alone: 'per favore, grazie, lo sono, lo e, ce l ho, lo voglio, ci sto, lo faccio',
  },
  nl: {
    yes: 'ja, jaa, jazeker, ja hoor, jawel, jep, jup, yes, zeker, zeker weten, precies, inderdaad, heeft gelijk, hebt gelijk, dat is mijn nummer, dat is mijn naam, dat is mijn adres, dat is waar, exact, absoluut, natuurlijk, uiteraard, vanzelfsprekend, tuurlijk, helemaal, ik denk het wel, ik denk van wel, ik geloof het wel, ik geloof van wel, volgens mij wel, denk het wel, mhm, uhu, jahoor, zonder twijfel, dat ben ik, waarom niet, graag, heel graag, bevestig, bevestigd, beslist, toch wel, wel degelijk, zo is het, nou en of, reken maar, definitief, zonder meer, niks mis',
    right: 'juist, correct, klopt, kloppen, waar, goed begrepen, dat, zo, dat is hem',
    fine: 'ok, oke, okay, prima, goed, is goed, heel goed, akkoord, mooi, perfect, fijn, in orde, komt goed, helemaal goed, geen probleem, geen punt, geen bezwaar, doe maar, doet u maar, ga uw gang, ga maar, mij best, prachtig, uitstekend, top, lekker, vooruit, best, niet slecht, gaat goed, toppie, past, komt uit',
    no: 'nee, neen, nope, nee hoor, welnee, nee dank u, nee bedankt, absoluut niet, helemaal niet, zeker niet, beslist niet, natuurlijk niet, nooit, in geen geval, geen sprake van, niet helemaal, niet echt, niet precies, liever niet, ik denk het niet, ik denk van niet, ik geloof het niet, ik geloof van niet, volgens mij niet, nog niet, allerminst, integendeel, geenszins, geen, negatief, echt niet, niet nodig, ben je gek',
    wrong:
      'fout, verkeerd, onjuist, vergissing, vergist, incorrect, foutje, misverstand, verkeerd begrepen, anders, mis, slecht',
    not: 'niet, nooit, geen, nie, niks',
    unsure:
      'weet ik niet, weet ik niet helemaal zeker, weet ik niet zeker, weet het niet, ik weet het niet, weet niet, weet ik zo niet, geen idee, misschien, mogelijk, wellicht, waarschijnlijk, kan zijn, zou kunnen, ligt eraan, dat hangt ervan af, hangt ervan af, moment, ogenblik, momentje, seconde, wacht, wacht even, even kijken, even nadenken, moet ik nakijken, ik kijk even, herhalen, wat zegt u, wat zei u, pardon, sorry wat, nog een keer, nog eens, begrijp het niet, begrijp ik niet, niet begrepen, versta u niet, niet verstaan, hoor u niet, herinner me niet, niet zeker, er niet zeker van, twijfel, moeilijk te zeggen, hoe bedoelt u, wie weet',
    certain: 'overtuigd',
    question:
      'wat, waarom, hoe, wie, wanneer, waar, welke, kunt u, kan u, zou u, is dat, is het, klopt dat, bent u, heeft u',
    alone:
      'alstublieft, alsjeblieft, bedankt, dat is het, dat doe ik, ik wel, ben ik, heb ik, wil ik, wil ik wel, ik ook',
  },
}
