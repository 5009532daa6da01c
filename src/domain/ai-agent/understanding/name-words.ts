import type { AgentLanguage } from '../plan.ts'

// Words around a name, by language.

export interface NameWords {
  /** Before the name. */
  introductions: string
  /** After the name. */
  ends: string
  /** Before anything: "yes", "hello". */
  fillers: string
  /** A sentence with one of these words is no name. */
  sentence: string
}

export const callerNameWords: Record<AgentLanguage, NameWords> = {
  en: {
    introductions:
      'my name is, my name s, name is, name s, the name is, the name s, this is, it is, it s, i am, i m, im, they call me, you can call me, call me, people call me, i go by, speaking with, you are speaking to, you re speaking to, my full name is, full name is, my first name is, that would be, that s, that is, surname is, last name is, my names',
    ends: 'and, calling, from, about, because, here, speaking, i, i m, im, with, but, for, on, who, so, please, thanks, thank, spelled, that, regarding, at, my, but, again, by the way',
    fillers:
      'yes, yeah, sure, hi, hello, hey, ok, okay, well, uh, um, er, so, of course, good morning, good afternoon, good evening, certainly, oh, right, please, me, no, sorry, mister, mr, mrs, ms, miss',
    sentence:
      'need, want, have, has, help, problem, what, why, how, when, where, who, you, your, the, a, an, is, are, was, do, does, did, not, can, could, would, will, order, invoice, bill, my, about, talk, speak, agent, robot, account, broken, please help, it, there, this, don, nothing, none, business, matter, say, tell, know, rather, never, mind, wrong, question',
  },
  fr: {
    introductions:
      'je m appelle, je suis, mon nom est, mon nom c est, mon nom, c est, moi c est, ici, mon prenom est, vous parlez a, vous parlez avec, je me nomme, monsieur, madame, mademoiselle, au nom de, nom est',
    ends: 'et, j appelle, je, a l appareil, pour, au telephone, depuis, qui, parce, a propos, s il, merci, concernant, vous, au sujet, ca s ecrit, qui s ecrit',
    fillers: 'oui, bonjour, bonsoir, salut, euh, alors, bien sur, d accord, ok, allo, voila, eh bien, non, pardon, moi',
    sentence:
      'ai, avez, veux, voudrais, probleme, besoin, commande, facture, pourquoi, comment, quoi, est ce, que, ne, pas, mon, ma, mes, aide, un, une, vous, votre, robot, parler, avec, panne, compte, savoir, regarde, question',
  },
  de: {
    introductions:
      'mein name ist, mein name lautet, ich heisse, ich bin, ich bin der, ich bin die, hier ist, hier spricht, der name ist, name ist, das ist, am apparat ist, sie sprechen mit, mein name, man nennt mich, ich bins, frau, herr, es ist, auf den namen',
    ends: 'und, ich, am apparat, hier, wegen, aus, von der, von, rufe, bitte, mit, aber, weil, buchstabiert, geschrieben, danke',
    fillers:
      'ja, hallo, guten tag, guten morgen, guten abend, gruss gott, ah, ahm, also, gerne, klar, ok, okay, na, moin, servus, nein, entschuldigung, naturlich',
    sentence:
      'habe, hab, hat, brauche, will, mochte, problem, was, warum, wieso, wie, wer, nicht, rechnung, bestellung, meine, meiner, meinem, kaputt, hilfe, sie, ihr, geht, konnen, ist, sind, ein, eine, einen, die, das, roboter, sprechen, frage, wozu',
  },
  es: {
    introductions:
      'me llamo, soy, mi nombre es, mi nombre, habla, le habla, aqui, de parte de, a nombre de, soy el señor, soy la señora, nombre es, me dicen, con',
    ends: 'y, llamo, de parte, por, para, desde, que, pero, al habla, porque, gracias, al aparato, en, se escribe, quiero, estoy',
    fillers:
      'si, hola, buenas, buenos dias, buenas tardes, buenas noches, pues, eh, claro, vale, bueno, por supuesto, a ver, no, perdon, ok, mire',
    sentence:
      'tengo, quiero, necesito, problema, pedido, factura, que, por que, como, mi, mis, un, una, no, ayuda, hay, esta, es, el, usted, robot, hablar, puede, cuenta, roto, pregunta',
  },
  it: {
    introductions:
      'mi chiamo, sono, il mio nome e, mio nome e, nome e, qui e, parla, qui parla, al telefono, a nome di, a nome, io sono, il nome e, mi chiamano',
    ends: 'e chiamo, e, chiamo, per, da, che, ma, perche, al telefono, grazie, si scrive, vorrei, con, telefono',
    fillers: 'si, buongiorno, buonasera, salve, ciao, pronto, certo, allora, ehm, ok, va bene, dunque, no, scusi, ecco',
    sentence:
      'ho, voglio, vorrei, problema, ordine, fattura, che, perche, come, mio, mia, un, una, non, aiuto, bisogno, lei, robot, parlare, puo, conto, rotto, il, la, domanda, cosa',
  },
  nl: {
    introductions:
      'mijn naam is, mijn naam, naam is, ik heet, ik ben, u spreekt met, je spreekt met, met, dit is, de naam is, hier is, dat is, het is, meneer, mevrouw, op naam van, noem me',
    ends: 'en, ik, bel, aan de lijn, hier, over, vanwege, uit, omdat, maar, alstublieft, bedankt, dank, spreekt, aan de telefoon, voor mijn',
    fillers:
      'ja, hallo, goedemorgen, goedemiddag, goedenavond, goedendag, dag, hoi, eh, nou, natuurlijk, ok, oke, graag, hoor, zeker, nee, sorry',
    sentence:
      'heb, heeft, wil, probleem, bestelling, factuur, wat, waarom, hoe, wie, niet, mijn, hulp, nodig, een, het, u, uw, kunt, kapot, robot, spreken, is, rekening, vraag',
  },
}
