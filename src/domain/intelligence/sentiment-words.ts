import type { AgentLanguage } from '../ai-agent/plan.ts'
import { de, es, it, nl } from './sentiment-words-more.ts'
import type { WordClasses } from './word-patterns.ts'

/** What callers say when they are satisfied or not. Words are in the form of `callerWords`: no accents, "is not" for "isn't". */
export interface SentimentWords {
  classes: WordClasses
  /** Facts and phrases of a complaint. */
  complaints: readonly string[]
  /** Each alone is a complaint. */
  harsh: string
  /** Alone too weak for a label. */
  weak: string
  praise: readonly string[]
  delight: string
  /** Alone too weak for a label. */
  kind: string
  negations: string
  intensifiers: string
  /** Words of agreement, which say nothing about the sentiment, and mark sarcasm before a cue. */
  agreement: string
  cues: readonly string[]
  polite: readonly string[]
  /** Where what was said before is taken back. */
  contrast: string
  /** With one of these, a sentence without any other sign is not taken for neutral. */
  trouble: string
  /** The other side as the subject of a statement. */
  others: string
  /** The first words of a condition or question. */
  hypothetical: readonly string[]
}

const en: SentimentWords = {
  classes: {
    NUM: 'a two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety several many',
    ORD: 'second third fourth fifth sixth seventh eighth tenth hundredth umpteenth',
    TIME: 'hour hours day days week weeks month months year years minutes',
    NOBODY: 'nobody noone none',
    UNDONE:
      'work* help* arriv* come came show* answer* repl* call* fix* turned let load* receiv* deliver* respond* had got',
    LOW: 'nought zero nil one two three',
    HIGH: 'nine ten',
    AGREED: 'agreed ordered asked discussed wanted expected booked said paid',
    THROWN: 'chucked threw thrown dumped tossed slung',
  },
  complaints: [
    'waiting _ NUM TIME, waited _ NUM TIME, waited _ all, waiting _ ages, waiting since, NUM TIME late, been NUM TIME',
    '!ORD time, NUM times already|now, for NUM TIME now, NUM times _ agreed|expected|quoted|told, !how many times',
    '!how many more, !how much longer, how long do i|we have, every single TIME|time, again and again, over and over',
    'still no|not|nothing|waiting|broken|down|missing, still have|has|had|do|does|did|is|are|can not, still being',
    'nobody|noone call*|answer*|repl*|came|come*|knows|know|told|tells|mention*|can|could|has|ever|bother*|care*|turn*',
    'you|they lost my|our|the, have lost _ file|order|parcel|booking|application|faith|confidence|trust|patience, no one answering|call*|answer*|repl*|came|comes|knows|told|mention*|can|could|has|ever|bother*|cares|turned',
    'never call*|came|come*|arriv*|receiv*|gave|got|show*|answer*|repl*|seal*|sent|told|work*|fix*|deliver*|return*',
    'did not _ UNDONE, has not _ UNDONE, have not _ UNDONE, does not help, is not help*, not work* at all',
    'wrong one|part|item|size|product|colour|address|amount|order|thing|model, as well|too broken',
    'money back, want _ refund*, demand, compensat*, not _ refund, !had enough, !going|go|switch* _ another|different|competitor* supplier|provider|company',
    '!another|different supplier|provider|bank|insurer, cancel _ everything, charged|billed|debited|paid _ twice|double',
    'twice _ charged|billed, overcharged, hidden fee*|charge*|cost*, waste of, wasted _ day|morning|time, wasting my',
    'have|has no interest, fed up, sick of, tired of, sick and tired, driving _ mad|crazy|nuts, worried sick, being ignored, ignored me|us',
    'ignoring me|us, hung up, passed around|from, messed up, no response|reply|answer, been trying _ NUM TIME|since|all, on hold _ NUM TIME|minutes, sent round|around, formal complaint, make|file|lodge _ complaint',
    'lawyer, solicitor, legal action, ombudsman, consumer protection, trading standards, to court, leav*|writ*|post* _ review',
    'not acceptable, not good enough, not on, not care, no use, no help, nothing but trouble|problems, a joke, is _ joke',
    'a shame, !can not believe, !how is it possible, !how can you|it|that, !why does it take, !why do|does|did i|nobody',
    'keep|keeps|kept saying|telling|promis*|asking|crash*|fail*|stop*|cut*|drop*|disconnect*|freez*',
    'down|broken|out|offline|wrong|gone|late again, not _ again, !my fault, was|were supposed, was|were promised',
    'broke|broken|died|stopped|failed|black after, arriv*|came|come|delivered _ broken|damaged|late|cold|wet|torn',
    'broken as|too|again, was|were cold, not have to, already told|sent|explain*|call*|email*|paid, sent _ NUM times',
    'for nothing, just typical, day off _ nothing, left _ in the rain, !are you kidding|joking|serious, let _ down',
    'pay for _ get, quite|so|very|really|extremely rude, taken advantage, ripped off, not what i|we|you AGREED, had to chase',
    'used to like|be, !exactly|just how|what i wanted|needed today, last straw, no longer trust, not trust',
    'lost|no|losing confidence|faith|trust|patience|customers|business|money|sleep, more than patient, out of patience, at my|our wits, end of my tether',
    'getting|going|gets|get|got nowhere, in circles, one thing after another, you people, !the point of|in, !can not you|they _ right|anything',
    'LOW out of ten, been cut off, cut off _ twice|again|NUM times, taken|took me|us NUM TIME, worse than before|ever, in agony|tears, worse _ before|ever you',
    '!double|twice|triple what you|i|we|was, been|was|were down|off|out|dead for, TIME|nights running, NUM TIME|nights in a row, no difference, not _ slightest|any difference',
    'you|they do|did|done nothing, nothing _ made|makes _ difference, no _ whatsoever, THROWN it|them|my|our|over, cheek|nerve|audacity to',
    'another apology|excuse, not want _ apology|apologies|excuses, not call|called that|this, not _ understand|realise how serious|important|urgent|bad|much',
    'turned up _ cold|late|broken|damaged|wrong|empty, never pick*, !pay again|twice, nearly|almost|over double|twice, speak|talk to _ manager|supervisor _ nowhere|now',
  ],
  harsh:
    'disappointed disappointing unacceptable ridiculous terrible horrible awful furious angry annoyed annoying ' +
    'frustrated frustrating unhappy dissatisfied outrageous outraged disgusting disgusted disgrace disgraceful appalling ' +
    'pathetic useless incompetent rude unprofessional unhelpful impolite worst scam fraud cheated nightmare rubbish crap ' +
    'garbage hopeless dreadful filthy disaster hate hated ruined unreliable scandalous livid joke shambles damaged complained',
  weak:
    'upset slow wrong broken faulty late poor mistake mistakes bad worse error problem problems issue issues trouble ' +
    'complaint complaints worried sad difficult confusing confused unfair dirty cold noise noisy dirty failed fails mess delay ' +
    'delayed missing lost unfortunately expensive crashing again crushed smashed shattered scratched dented torn leaking worse',
  praise: [
    'nothing but great|good|praise, such a great|good|lovely, saved my|our|the day, recommend* you, recommend* _ to my|our|everyone, better than i|we, much better, not have been',
    'work*|running perfectly|great|beautifully|again now, finally work*, so|very|really|extremely|super helpful|happy|pleased',
    'so|very|really|extremely friendly|quick|fast|kind|impressed|satisfied|good|relieved|nice, was|were quick|fast|great|lovely',
    'good|great|excellent|wonderful|fantastic news, well done, good|great|excellent job|work|service, happy|pleased|satisfied with',
    'exactly what i needed|wanted, went smoothly|well|perfectly, saves us|me, keep it up, we|i love, worked like, not fault',
    'relief, spot on, out of his|her|their|your way for|to, HIGH out of ten, first|top class|notch|rate, saved my|our|me, mind at rest|ease',
    'never had _ problem|problems|issue|issues|trouble|complaint, no trouble|problem|problems|hassle at all, the only one|ones who, pass on my|our thanks',
    'a doddle|breeze|pleasure, thoroughly|really|rather enjoyed, nice change, made|make* my day|life, you were right',
    'everything is|was great|perfect|good|fine, could not be happier, nothing but praise, been _ helpful|great|fantastic|amazing|wonderful|brilliant|lovely',
  ],
  delight:
    'delighted thrilled impressed fantastic excellent amazing wonderful brilliant outstanding love loved perfect perfectly ' +
    'relieved best superb awesome marvellous grateful',
  kind: 'happy pleased satisfied helpful friendly nice kind glad smoothly quick easy beautiful lovely good great better',
  negations: 'not no never nobody nothing without neither hardly',
  intensifiers: 'very really extremely so totally absolutely completely terribly quite utterly always constantly all',
  agreement:
    'great perfect lovely excellent brilliant wonderful fantastic super good nice fine okay ok alright right sure yeah yes ' +
    'oh well ah wow marvellous and then so but thanks cheers',
  contrast: 'but until except however though although',
  trouble:
    'not never nobody nothing cannot but why since help trying still until hard guys no told agreed promised supposed said twice ' +
    'already losing waiting manager supervisor nowhere apology excuse excuses patience threw thrown',
  others: 'you your they',
  cues: [
    'again, another, still, nothing, disconnected, waiting, because, so it is my, fault, more TIME|waiting, ORD time, just what',
    'how typical, just great, no one, nobody, NUM TIME, only, thanks a lot for',
  ],
  polite: [
    'thank you so|very much, thank you, thanks a lot, thanks so much, thanks, please, have a _ day|evening|weekend|afternoon|one',
    'good morning|afternoon|evening|day, i really appreciate, i appreciate, appreciate it, that is very kind, so kind',
    'would be _ great|nice|lovely|good|happy|glad|perfect|wonderful, would love, happy|glad to, a nice|good|great|lovely',
    'no that is all|it|fine|everything, no thank*, no problem* so far, no problem, no worries, not bad, not too bad, i am sorry, sorry, nice to, quite satisfied to, any good',
    'speak|see|talk _ again, thanks again, call* back again, if it is _ problem, a problem if, no complaints, could you _ again',
    'say|repeat|try|once|it _ again, do not mind',
  ],
  hypothetical: [
    'if, what happens|if|about, is it|there, do|does you|it|i, can|could|may|should|would i|you|we, when, whether, in case',
    'which, where, are|were you|there, have you',
  ],
}

const fr: SentimentWords = {
  classes: {
    NUM: 'une un deux trois quatre cinq six sept huit neuf dix quinze vingt trente plusieurs',
    ORD: 'deuxieme troisieme quatrieme cinquieme sixieme dixieme enieme',
    TIME: 'heure heures jour jours semaine semaines mois an ans minutes',
  },
  complaints: [
    'attend* _ NUM TIME, attends depuis, attend _ depuis, depuis NUM TIME, ca fait NUM TIME, NUM TIME de retard',
    '!ORD fois, !combien de fois, NUM fois deja, deja NUM fois, fois plus _ prevu|eleve*, toujours pas|rien, toujours en panne',
    'personne ne|n|m, jamais venu*|rappel*|repond*|recu|arrive*|livre*, ne repond*, encore en panne, encore tombe*, rien recu',
    'etre rembours*, veux _ rembours*, exige*, attends mon remboursement, resili* _ suffit, ca suffit, !ras le bol',
    'preleve*|facture*|debite*|paye _ NUM fois, mauvais article|produit|modele|piece|taille, pour rien, perds|perdre mon temps',
    'perte de temps, en ai _ marre, marre de, assez de, vous _ moquez, fous de moi, moque de, une honte, honteux, une blague',
    'avocat, justice, association de consommateurs, soixante millions, porter plainte, faire|deposer une reclamation',
    'arrive _ abime*|casse*|endommage*|froid, completement abime*|casse*, ne marche|fonctionne|marchait _ plus|pas du tout',
    'plante _ sans|tout, sans arret, on m a promis, m avait promis, m avez promis, aurait du, auriez du, devait etre',
    'pas _ content*|satisfait*|normal*|serieux|acceptable, c est _ n importe quoi, n importe quoi, aller voir ailleurs',
    'aller chez _ concurren*, raccroche au nez, balade de service, renvoy* de service, frais caches, sans me prevenir',
    'm avez perdu, perdu mon dossier, !comment est _ possible, !c est pas possible, pas professionnel, laisse tomber',
    'laisser _ avis, mauvaise foi, foutez de, prend* pour, en ai|avons assez, assez d etre, ras le bol, deja dit|explique|envoye|appele',
    'dit la meme chose, jete|balance|lance|abandonne le|la|les|mon|ma, perdre|perds|a bout de patience',
  ],
  harsh:
    'inadmissible inacceptable scandaleux scandaleuse scandale honteux honte decu decue decus decevant furieux furieuse enerve ' +
    'enervee enervant agacant agace desagreable impoli impolie malpoli malpolie nul nulle lamentable catastrophique catastrophe ' +
    'horrible affreux arnaque escroquerie voleurs ridicule incompetent incompetents minable pire sale mecontent mecontente ' +
    'insupportable intolerable deplorable abime degueulasse',
  weak:
    'probleme problemes panne casse lent lente retard erreur erreurs faux mauvais mauvaise bruyant bruyante cher dommage ' +
    'difficile inquiet inquiete grave perdu encore',
  praise: [
    'recommande* _ a|tous|autour, vous recommande*, fonctionne|marche _ tres bien|parfaitement|nickel, bonne|excellente nouvelle',
    'exactement ce qu, tres satisfait*|content*|efficace*|gentil*|rapide*|heureu*, vraiment satisfait*|content*|efficace*|super',
    'me sauvez, sauve la vie, ete formidable*|parfait*|genial*|super|adorable*|extraordinaire*, bon travail, bravo a',
    'regle en, tres bien passe, tout _ bien passe, marche|fonctionne|va tres bien, rendu service, quel|un soulagement, rien a redire, d une gentillesse|patience|efficacite',
  ],
  delight:
    'ravi ravie formidable excellent excellente genial geniale fantastique extraordinaire soulage soulagee impressionne ' +
    'impressionnee parfaitement adore merveilleux delicieux delicieuse',
  kind: 'super parfait bravo magnifique content contente satisfait satisfaite efficace gentil gentille agreable rapide facile bien bon bonne heureux heureuse',
  negations: 'pas aucun aucune jamais sans ni rien',
  intensifiers: 'tres vraiment completement totalement absolument trop tellement extremement toujours franchement',
  agreement:
    'super parfait genial bravo excellent formidable bien tres d accord ok oui ah oh bon merci alors magnifique et donc voila',
  contrast: 'mais sauf jusqu pourtant cependant',
  trouble: 'pas jamais rien mais pourquoi depuis plus encore aucun personne deja promis jete',
  others: 'vous votre vos on',
  cues: ['encore, pour rien, toujours, attente, NUM TIME d attente, NUM heure*, ORD fois, personne, ma faute, rien'],
  polite: [
    'merci beaucoup, merci bien, merci, s il vous plait, bonne journee|soiree|fin|continuation, bonjour, bonsoir, avec plaisir',
    'vous remercie, c est _ gentil, pas de probleme|souci, aucun probleme|souci, pas grave, pas mal, ca me va, tres bien',
    'd accord, excusez moi, desole*, je voudrais _ bon, un bon|bonne, une bonne, un probleme si, bien sur, c est bien, bien ca',
    'ou bien, eh bien, repeter, encore une fois, ca serait _ bien|super, ce serait _ bien|super|parfait',
  ],
  hypothetical: [
    'si, est ce que, que se passe, y a, pouvez, pourriez, puis je, quand, comment faire, vous avez, avez vous, serait il',
    'qu est ce',
  ],
}

export const sentimentWords: Readonly<Record<AgentLanguage, SentimentWords>> = { en, fr, de, es, nl, it }
