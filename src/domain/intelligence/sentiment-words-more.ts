import type { SentimentWords } from './sentiment-words.ts'

// Words are in the form of `callerWords`: lower case, without accents, ss for ß.

export const de: SentimentWords = {
  classes: {
    NUM: 'eine einer einem ein zwei drei vier funf sechs sieben acht neun zehn zwanzig mehreren mehrere',
    ORD: 'zweiten dritten vierten funften sechsten zehnten hundertsten zigsten zweite dritte vierte funfte sechste zehnte',
    TIME: 'stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahren minuten',
  },
  complaints: [
    'warte _ seit|schon, seit NUM TIME warte, gewartet _ NUM TIME, NUM TIME gewartet, NUM TIME zu spat, ewig gewartet',
    '!zum ORD mal, !wie oft, !wie lange soll*|muss, immer noch nicht|nichts|kein*, noch immer nicht|kein*, schon wieder',
    'niemand|keiner kann|hat|ruft|meldet|antwortet|weiss|geht|kommt, nicht gemeldet, nie gekommen|angekommen|zuruckgerufen',
    'einfach nicht gekommen|erschienen, nicht erschienen, nicht gekommen, geld zuruck, will _ erstattung, warte _ erstattung',
    'kundige, mir reicht, es reicht, doppelt abgebucht|berechnet|bezahlt, zweimal abgebucht|berechnet, falsche* teil|artikel',
    'falsche* ware|grosse|modell|rechnung|produkt, nase voll, satt, genug von, zeitverschwendung, umsonst',
    '!auf den arm, !verarschen, ein witz, schlechter witz, anwalt, verbraucherzentrale, gericht, beschwerde einreichen',
    'offiziell beschwer*, mich _ beschweren, beschadigt an*, vollig|ganz|komplett beschadigt|kaputt, kaputt angekommen',
    'geht _ nicht mehr, funktioniert uberhaupt nicht, gar nicht*, sturzt _ ab, standig, versprochen und|aber, hat _ versprochen',
    'haben _ versprochen, nicht _ zufrieden|glucklich|in ordnung|akzeptabel|hinnehmbar|fair, so geht das nicht',
    'so nicht, einfach aufgelegt, weiterverbunden _ mal, hin und her, versteckte* kosten|gebuhr*, NUM mal so hoch|viel|teuer',
    'dreimal|doppelt|zweimal so hoch|viel|teuer, hoher als vereinbart|besprochen, verloren _ akte|unterlagen, !kann _ nicht wahr',
    '!das darf _ nicht wahr, anderen anbieter, zur konkurrenz, schlechte bewertung, bewertung schreiben, im stich',
    'danke fur nichts, danke fur gar, hatte langst, sollte langst, langst da',
    '!das ORD mal, !ORD mal _ dass, !schon das ORD, verlier* _ geduld, geduld _ ende, bis heute nichts|nicht|kein*|ist nichts|nicht|kein*, bis jetzt nichts|nicht|kein*',
    'einfach _ geworfen|hingeworfen|abgestellt|liegen, derselben|gleichen|selben sache _ anruf*',
  ],
  harsh:
    'frechheit unverschamt unverschamtheit unmoglich zumutung enttauscht enttauschend wutend verargert argerlich sauer ' +
    'unfreundlich unhoflich unzufrieden schrecklich furchtbar katastrophe katastrophal schlimm schlimmste schlechteste ' +
    'inakzeptabel lacherlich betrug abzocke inkompetent nutzlos skandal peinlich schmutzig dreckig mies miserabel saftladen ' +
    'unzuverlassig genervt nervt albtraum frustriert frustrierend',
  weak:
    'problem probleme kaputt langsam falsch fehler schlecht schlechte spat verspatet laut teuer schade leider schwierig ' +
    'besorgt defekt verloren beschadigt ausgefallen wieder',
  praise: [
    'empfehle* _ weiter, lauft|funktioniert|klappt _ einwandfrei|super|prima|perfekt, tolle|gute|schone|super nachricht',
    'rundum zufrieden, sehr|wirklich|super zufrieden|nett|hilfreich|freundlich|schnell|kompetent, genau das _ brauch*',
    'ging _ schnell, hat _ geklappt, war|waren wirklich|super|toll|spitze|klasse, tag gerettet, gute arbeit, freue mich sehr, stein vom herzen, fallt _ stein, weiterempfohlen|weiterempfehlen',
  ],
  delight:
    'begeistert beeindruckt erleichtert hervorragend ausgezeichnet fantastisch grossartig einwandfrei dankbar spitze ' +
    'wunderbar glucklich super toll',
  kind: 'zufrieden nett hilfreich freundlich schnell gut gute schon einfach froh prima',
  negations: 'nicht kein keine keinen keinerlei nie niemals ohne nichts',
  intensifiers: 'sehr wirklich vollig total absolut uberhaupt echt ziemlich komplett extrem ganz immer so',
  agreement:
    'toll super wunderbar perfekt klasse prima gut schon na ja okay ok danke ach oh spitze grossartig fein und dann also sehr',
  contrast: 'aber bis ausser jedoch obwohl',
  trouble:
    'nicht nie niemand nichts aber warum seit kein keine trotzdem geworfen zugesagt versprochen abgesprochen vereinbart',
  others: 'sie ihr ihre',
  cues: ['schon wieder, wieder, umsonst, immer noch, noch eine, nichts, ORD mal, stunde*, warte*, meine schuld'],
  polite: [
    'vielen dank, danke schon, danke sehr, danke, bitte, schonen tag|abend, schones wochenende, guten tag|morgen|abend, gern*',
    'sehr gern*, kein problem, keine probleme|sorge, nicht schlecht, macht nichts, alles klar, passt _ gut, sehr nett von',
    'einen|ein guten|gutes|schonen, entschuldigung, tut mir leid, ein problem wenn, auf wiederhoren, ware _ schon|gut|nett|super',
    'ware _ toll|prima, noch einmal, leider absagen, leider verschieben, wiederholen',
  ],
  hypothetical: [
    'wenn, falls, was passiert|ist, ist es|das, kann|konnen|konnten|darf|durfte ich|sie|wir, haben sie, wann, wo, welche*',
    'was kostet|wurde, gibt es, ob',
  ],
}

export const es: SentimentWords = {
  classes: {
    NUM: 'una un dos tres cuatro cinco seis siete ocho nueve diez quince veinte varias varios',
    ORD: 'segunda tercera cuarta quinta sexta decima enesima',
    TIME: 'hora horas dia dias semana semanas mes meses ano anos minutos',
  },
  complaints: [
    'llevo _ NUM TIME, llevamos _ NUM TIME, desde hace NUM TIME, NUM TIME esperando, !ORD vez, !cuantas veces, sigue sin',
    'sigo sin, siguen sin, todavia no, aun no me|ha|han, nadie _ contesta|responde|llama|sabe|llamo|vino, otra vez _ averia*',
    'devuelvan|devolver el dinero, quiero _ reembolso, exijo, cobrado|facturado|cargado _ veces|doble, perdida de tiempo',
    'perdiendo el tiempo, estoy harto|harta, hasta las narices, !me toman el pelo, tomando el pelo, una verguenza, abogado',
    'oficina del consumidor, hoja de reclamaciones, poner|presentar _ reclamacion|queja, producto|articulo equivocado',
    'llego _ roto|danado|tarde, no _ contento|contenta|satisfecho|satisfecha|normal|aceptable, dar de baja _ harto|ya',
    'gracias por nada, me prometieron, me habian prometido, no funciona nada, deja de funcionar, me colgaron, para nada',
  ],
  harsh:
    'verguenza inaceptable indignante indignado furioso furiosa enfadado enfadada decepcionado decepcionada horrible terrible ' +
    'fatal pesimo pesima estafa timo ridiculo maleducado maleducada grosero incompetentes inutil vergonzoso desastre ' +
    'intolerable asco harto harta lamentable sucia sucio',
  weak: 'problema problemas averia roto rota lento tarde error mal malo mala caro molesto preocupado',
  praise: [
    'de maravilla, muy amable*|contento|contenta|satisfecho|satisfecha|rapido|bien resuelto, funciona muy bien|perfectamente',
    'buena|buenas|excelente noticia*, los recomiendo, lo recomiendo, lo resolvio, justo lo que necesitaba, buen trabajo',
  ],
  delight:
    'encantado encantada genial fantastico fantastica excelente maravilloso maravillosa impresionado aliviada aliviado',
  kind: 'contento contenta satisfecho satisfecha amable rapido facil bien bueno buena',
  negations: 'no ningun ninguna nunca sin nada',
  intensifiers: 'muy realmente completamente totalmente tan demasiado siempre',
  agreement: 'genial perfecto estupendo vale bien si ah oh muy bueno gracias fantastico',
  contrast: 'pero hasta excepto aunque',
  trouble: 'no nunca nadie nada pero desde porque todavia',
  others: 'usted ustedes su sus',
  cues: ['otra vez, para nada, ORD vez, esperar, NUM hora*, nadie, nada'],
  polite: [
    'muchas gracias, gracias, por favor, buen dia, buenos dias, buenas tardes|noches, no hay problema, sin problema, muy bien',
    'muy amable gracias, lo siento, perdon, no esta mal, un problema si, de acuerdo, hasta luego, esta bien, un buen|buena',
  ],
  hypothetical: ['si, que pasa, puede|podria|puedo|podrian, cuanto, cuando, donde, es posible, hay, tienen'],
}

export const nl: SentimentWords = {
  classes: {
    NUM: 'een twee drie vier vijf zes zeven acht negen tien twintig meerdere',
    ORD: 'tweede derde vierde vijfde zesde tiende zoveelste',
    TIME: 'uur uren dag dagen week weken maand maanden jaar minuten',
  },
  complaints: [
    'wacht _ al|sinds NUM TIME, wacht _ NUM TIME, NUM TIME gewacht, !ORD keer, !hoe vaak, nog steeds niet|geen|niets',
    'niemand belt|antwoordt|weet|reageert|heeft|komt|kan, alweer, weer kapot|stuk|uitgevallen, geld terug, wil _ terugbetal*',
    'dubbel afgeschreven|betaald|berekend, twee keer afgeschreven|betaald, verkeerde artikel|product|maat|onderdeel',
    'tijdverspilling, voor niets, meer dan zat, zat van, neemt _ in de maling, houdt _ voor de gek, een schande, advocaat',
    'klacht indienen, officiele klacht, beschadigd aan*, niet _ blij|tevreden|acceptabel|normaal, werkt helemaal niet',
    'nooit gekomen|teruggebeld|aangekomen, beloofd maar|en, was beloofd, opgehangen, zeg _ op _ genoeg, bedankt voor niets',
  ],
  harsh:
    'belachelijk schandalig schande onacceptabel woedend boos teleurgesteld teleurstellend vreselijk verschrikkelijk slechtste ' +
    'oplichting onbeschoft onvriendelijk ontevreden waardeloos ramp nachtmerrie irritant gefrustreerd onbetrouwbaar vies smerig',
  weak: 'probleem problemen kapot traag langzaam fout fouten slecht laat duur jammer helaas moeilijk bezorgd',
  praise: [
    'heel|erg|zeer|echt blij|tevreden|vriendelijk|snel|goed|aardig, goed|geweldig|fijn nieuws, werkt perfect|prima|uitstekend',
    'fantastisch|geweldig|super|goed geholpen, raad _ aan, precies wat ik, goed gedaan',
  ],
  delight: 'fantastisch geweldig uitstekend opgelucht dankbaar enthousiast blij perfect',
  kind: 'tevreden vriendelijk snel goed fijn aardig makkelijk',
  negations: 'niet geen nooit zonder niets',
  intensifiers: 'heel erg zeer echt helemaal ontzettend totaal zo altijd',
  agreement: 'prima geweldig fijn perfect mooi oke ok goed ja nou oh bedankt super lekker fantastisch',
  contrast: 'maar totdat behalve hoewel',
  trouble: 'niet nooit niemand niets maar waarom sinds geen',
  others: 'u uw jullie',
  cues: ['alweer, weer, voor niets, nog steeds, ORD keer, wachten, NUM uur, niemand, niets'],
  polite: [
    'hartelijk dank, dank u wel, dank je wel, dank u, bedankt, alstublieft, fijne dag|avond, goedemorgen, goedemiddag, goedenavond',
    'geen probleem, niet slecht, graag gedaan, geen zorgen, het spijt me, sorry, een probleem als, zou _ fijn|mooi|goed|prima',
    'een goede|goed|fijn, is goed, komt goed',
  ],
  hypothetical: [
    'als, wat gebeurt|kost, is het|er, kan|kunt|kunnen|mag|zou ik|u|jullie|we, hebt|heeft u, wanneer, waar, hoe laat',
  ],
}

export const it: SentimentWords = {
  classes: {
    NUM: 'una un due tre quattro cinque sei sette otto nove dieci venti diverse',
    ORD: 'seconda terza quarta quinta sesta decima ennesima',
    TIME: 'ora ore giorno giorni settimana settimane mese mesi anno anni minuti',
  },
  complaints: [
    'aspett* _ da NUM TIME, da NUM TIME aspett*, attesa di NUM TIME, !ORD volta, !quante volte, non _ ancora, ancora non',
    'nessuno _ risponde|chiama|richiama|sa|viene|dice, voglio _ rimborso, soldi indietro, addebitato _ volte|doppio',
    'pagato due volte, articolo|prodotto|pezzo sbagliato, perdita di tempo, perdo tempo, sono stufo|stufa, mi prende* in giro',
    'una vergogna, avvocato, fare|presentare _ reclamo, reclamo formale, arrivato _ rotto|danneggiato, non sono _ contento',
    'non sono _ soddisfatto|soddisfatta|contenta, non funziona niente, mai venuto|arrivato|richiamato, di nuovo guasto',
    'grazie per niente, grazie di niente, mi avevano promesso, avete promesso, riattaccato, disdico _ basta, adesso basta',
  ],
  harsh:
    'vergogna vergognoso inaccettabile arrabbiato arrabbiata furioso furiosa deluso delusa orribile terribile pessimo pessima ' +
    'truffa ridicolo maleducato maleducata incompetenti inutile disastro schifo scandaloso sporca sporco insoddisfatto',
  weak: 'problema problemi rotto guasto lento ritardo errore errori male cattivo caro peccato difficile preoccupato',
  praise: [
    'bella|buona|ottima notizia, molto contento|contenta|soddisfatto|soddisfatta|gentile|bravo|veloce, funziona benissimo',
    'stato|stata|stati|state bravissim*|velocissim*|gentilissim*|fantastic*, vi consiglio, proprio quello che, ottimo lavoro',
  ],
  delight:
    'bravissimo bravissima velocissimi gentilissimo fantastico fantastica eccellente entusiasta sollevata sollevato benissimo',
  kind: 'contento contenta soddisfatto soddisfatta gentile veloce facile bene bravo',
  negations: 'non nessun nessuna mai senza niente',
  intensifiers: 'molto davvero completamente totalmente cosi troppo sempre',
  agreement: 'perfetto ottimo fantastico bene benissimo va si ah oh bravo grazie allora bello',
  contrast: 'ma tranne pero',
  trouble: 'non mai nessuno niente ma perche ancora',
  others: 'lei voi suo sua vostro vostra',
  cues: ['di nuovo, ancora, per niente, ORD volta, aspettare, NUM ora|ore, nessuno, niente'],
  polite: [
    'grazie mille, molte grazie, grazie, per favore, per piacere, buona giornata|serata, buongiorno, buonasera, nessun problema',
    'non c e problema, va bene, molto gentile, mi dispiace, scusi, un problema se, non male, a presto, sarebbe _ bello|bene',
    'un buon|buona',
  ],
  hypothetical: ['se, cosa succede, puo|posso|potrebbe|potete, quanto, quando, dove, e possibile, c e, avete, ce'],
}
