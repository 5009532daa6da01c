import type { AgentLanguage } from '../plan.ts'

// Words of e-mail addresses and of spelled letters by language.

export interface SpellingWords {
  at: string
  dot: string
  underscore: string
  dash: string
  plus: string
  /** "B as in Bravo" */
  asIn: string
  double: string
  /** Names of letters that are no single letter, as `name=letter`. */
  letters: string
  /** Words before an address, a name or a code that are not part of it. */
  lead: string
}

export const spellingWords: Record<AgentLanguage, SpellingWords> = {
  en: {
    at: 'at sign, at symbol, at',
    dot: 'dot, point, period, full stop',
    underscore: 'underscore, under score, underline',
    dash: 'dash, hyphen, minus',
    plus: 'plus',
    asIn: 'as in, for, like, is for',
    double: 'double',
    letters:
      'double u=w, zed=z, zee=z, ay=a, bee=b, cee=c, dee=d, eff=f, gee=g, aitch=h, jay=j, kay=k, el=l, em=m, en=n, pee=p, cue=q, queue=q, ar=r, ess=s, tee=t, vee=v, ex=x, why=y',
    lead: 'is, it is, it s, address, email, e mail, mail, email address, that is, that s, spelled, write, to, yes, okay, ok, sure, well, so, my, the, uh, um, use, code, postcode, zip, zip code, postal code, post code',
  },
  fr: {
    at: 'arobase, arobas, at, chez, a commercial',
    dot: 'point',
    underscore: 'tiret bas, underscore, souligne, tiret du bas, tiret du 8',
    dash: 'tiret, trait d union, moins, tiret du milieu',
    plus: 'plus',
    asIn: 'comme, comme dans',
    double: 'double, deux',
    letters:
      'double ve=w, double v=w, i grec=y, igrec=y, zede=z, be=b, ce=c, de=d, effe=f, ge=g, ache=h, ji=j, ka=k, elle=l, emme=m, enne=n, pe=p, erre=r, esse=s, te=t, ve=v, ixe=x',
    lead: 'est, c est, adresse, mail, email, e mail, mon, mon adresse, courriel, s ecrit, alors, oui, euh, bien sur, voila, a, code postal, code, mon adresse mail, le',
  },
  de: {
    at: 'klammeraffe, at, aet, at zeichen, affenschwanz, ett',
    dot: 'punkt',
    underscore: 'unterstrich, underscore, unterstreichung',
    dash: 'bindestrich, minus, strich, querstrich, mittelstrich',
    plus: 'plus',
    asIn: 'wie, wie in, fur, von',
    double: 'doppel, doppelt, zweimal',
    letters:
      'ypsilon=y, zett=z, zet=z, fau=v, vau=v, be=b, ce=c, de=d, ef=f, ge=g, ha=h, jot=j, ka=k, el=l, em=m, en=n, pe=p, ku=q, er=r, es=s, te=t, we=w, ix=x, iks=x',
    lead: 'ist, lautet, adresse, mail, email, e mail, mailadresse, meine, das ist, ja, also, ah, ahm, die, an, postleitzahl, plz, wohne in, in',
  },
  es: {
    at: 'arroba, at',
    dot: 'punto',
    underscore: 'guion bajo, barra baja, underscore, subrayado, subguion',
    dash: 'guion, guion medio, menos',
    plus: 'mas',
    asIn: 'de, como, como en',
    double: 'doble, dos',
    letters:
      'uve doble=w, doble u=w, doble ve=w, i griega=y, ye=y, zeta=z, be=b, ce=c, de=d, efe=f, ge=g, hache=h, jota=j, ka=k, ele=l, eme=m, ene=n, pe=p, cu=q, erre=r, ere=r, ese=s, te=t, uve=v, equis=x',
    lead: 'es, correo, email, e mail, mail, mi correo, direccion, la, mi, se escribe, pues, si, claro, el, eh, electronico, codigo postal, codigo',
  },
  it: {
    at: 'chiocciola, at, chiocciolina',
    dot: 'punto',
    underscore: 'trattino basso, underscore, sottolineato',
    dash: 'trattino, meno, lineetta, trattino medio',
    plus: 'piu',
    asIn: 'come, di, come in',
    double: 'doppia, doppio, due',
    letters:
      'doppia vu=w, vu doppia=w, ipsilon=y, i greca=y, zeta=z, bi=b, ci=c, di=d, effe=f, gi=g, acca=h, i lunga=j, cappa=k, elle=l, emme=m, enne=n, pi=p, cu=q, erre=r, esse=s, ti=t, vu=v, ics=x',
    lead: 'e, indirizzo, mail, email, e mail, la mia, si scrive, allora, si, certo, il, la, ehm, cap, codice postale, codice, mia mail e',
  },
  nl: {
    at: 'apenstaartje, at, apestaartje, apenstaart',
    dot: 'punt',
    underscore: 'underscore, liggend streepje, laag streepje, onderstreep, onderstrepingsteken',
    dash: 'streepje, min, koppelteken, liggend streepje midden, minteken',
    plus: 'plus',
    asIn: 'van, als in, zoals in',
    double: 'dubbel, dubbele, twee keer',
    letters:
      'griekse y=y, ypsilon=y, ij=y, zet=z, be=b, ce=c, de=d, ef=f, ge=g, ha=h, jee=j, ka=k, el=l, em=m, en=n, pe=p, ku=q, er=r, es=s, te=t, ve=v, wee=w, ix=x',
    lead: 'is, adres, mail, email, e mail, mailadres, mijn, e mailadres, dat is, ja, nou, het, eh, naar, postcode, de',
  },
}
