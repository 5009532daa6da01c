// Words that say nothing about the subject of an utterance, without accents: suggestions are not searched by them.

const en = `a about above actually after again all almost also always am an and another any anyone anything anyway are around as
  ask asked at back be because been before being believe bit both but bye call called calling came can cannot come could course
  day did didn do does doesn doing don done down each either else even ever every everything exactly fact few fine first for from
  get getting give given go going gone good goodbye got great guess had has have haven having he hear heard hello help her here
  hey hi him his hold how however i if in into is isn it its just keep kind know last later least let like little ll long look
  looking lot made make makes many may maybe me mean mine minute moment more morning most much must my myself name need needed
  never new next nice no not nothing now of off oh ok okay on once one only or other our out over own part people perhaps please
  possible probably problem put question quite rather re really right said same saw say saying says second see seem seems sent
  she should since so some somebody someone something soon sorry speak speaking still stuff such sure take talk tell than thank
  thanks that the their them then there these they thing things think this those though thought through time to today together
  told tomorrow too took tried try trying two up us use used very want wanted wants was wasn way we well went were what when
  where whether which while who whole why will wish with without won wonder wondering would wouldn yeah year yep yes yesterday
  yet you your`
const fr = `alors apres assez aussi autre avais avait avant avec avez avoir avons bien bonjour bonne bonsoir ca car cela cette ces
  chose comme comment dans des deux dire dis dit dois donc elle elles encore est et etait etes etre fait faire faut hier ici ils
  jamais je jour jusque leur leurs lui mais me meme merci mes moi moins moment monsieur madame mon non nos notre nous on ont ou oui
  par parce parler pas peu peut peux plait plus pour pourquoi pourrais pouvez pouvoir puis quand que quel quelle quelque qui quoi
  revoir rien sais sans savoir ses si soit son sont sous suis sur tout toute tous tres trop une un vais vos votre voudrais vous voir
  vraiment y`
const es = `ahora algo alguien alguna antes aqui asi aun bien buenas buenos cada como con cosa creo cual cuando cuanto de del desde
  despues dias dice dijo donde dos ella ellos en entonces entre era es esa ese eso esta estaba estan estar este esto estoy favor
  fue gracias gusta ha hace hacer hasta hay he hola hoy la las le les lo los llamo luego mas me mejor mi mis mucho muy nada ni no
  nos nosotros nunca o otra otro para pero poco poder por porque puede puedo pues que quien quiero quisiera se sea senor senora ser
  si sido siempre sin sobre solo son soy su sus tal tambien tan tanto tarde tengo tiene toda todo todos tu un una uno usted va vale
  vez vengo ver y ya yo`
const de = `aber alle allem allen alles als also am an andere auch auf aus bei bin bis bitte da danke dann das dass dein dem den denn
  der des die dies diese diesem diesen dieser doch du durch ein eine einem einen einer eines einmal er es etwas euch fur ganz gar
  gerne gesagt gestern gibt guten gut habe haben habt hallo hat hatte hatten heute hier ich ihm ihn ihnen ihr ihre ihren im immer in
  ist ja jede jeder jetzt kann kein keine keinen konnen konnte konnten mal man mehr mein meine meinem meinen mich mir mit mochte
  morgen muss nach name nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine seit sich sie sind so soll sondern sonst
  tag uber um und uns unser unsere unter viel vielleicht vom von vor war waren warum was weil weiss welche wenn wer werde werden wie
  wieder will wir wird wissen wo wohl wollen wollte wurde zu zum zur zwei`
const nl = `aan af al alle alles als altijd andere ben bij bent beter bijna daar dag dan dank dat de deze die dit doe doen door dus
  een eens en er even gaan gaat geen goed goede goedemorgen goedemiddag graag had hallo heb hebben hebt heeft heel hem het hier hij
  hoe hun iets ik in is ja je jij jou jouw jullie kan komen komt kon kunnen kunt maar mag meer meneer mensen met mevrouw mij mijn
  moet moeten naar nee niet niets nog nu of om ons ook op over tot uit uw van vandaag veel voor waar waarom want waren was wat we wel
  wie wij wil willen wilt wordt worden zal ze zeggen zeker zich zie zijn zo zou`
const it = `abbiamo adesso alla alle allora altra altro anche ancora avere avete bene buona buongiorno buonasera che chi ci come con
  cosa cosi cui da dal dalla degli dei del della delle detto devo di dire dopo dov dove due e ecco ed era ero essere fare fatto forse
  fra gli grazie ha hai hanno ho il in io la le lei li lo loro ma mai me mi mia mio molto nel nella nessuno niente no noi non nostro
  oggi ogni ora per perche piacere piu poi posso potrebbe potuto prego prima pronto puo qual quale quando quanto quello questa questi
  questo qui quindi sa sapere scusi se sei sempre senza si sia siamo siete signora signore solo sono sta stato su sua subito suo
  tanto tra troppo tutta tutti tutto un una uno va vedere vi voi volevo volta vorrei vostro`

export const suggestionStopWords: ReadonlySet<string> = new Set(
  [en, fr, es, de, nl, it].flatMap((list) => list.split(/\s+/)),
)
