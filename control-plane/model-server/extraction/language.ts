// Whether a turn is English: what the embedded extractor knows of dates, units and places, it knows in English.
import { type Parameter, stem } from "./parameter.ts";

const ENGLISH = wordSet(
  `a about after all am an and any are as at be been before book buy by can cancel change check city could day days did do does
  during each everything find for forecast from get give going has have hello help hey hi his how i if into is it its just know
  last let like list look make many me meet more most much my need new next no not now of off ok okay on one open or order our
  out over pay place please put rate remind reserve send set should show some start stop table tell than thank thanks that the
  their them then there these they this time to today tomorrow tonight track turn until up us use want was we weather week were
  what when where whether which who why will with without would yes yesterday you your`,
);

/** Of German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian, Polish, Turkish, Finnish; none of them English. */
const OTHER = wordSet(
  `aber als auch auf aus bei bin bitte das dem den der des dich dir du ein eine einen einem einer er es für gibt habe hallo heute
  ich ihr im ist ja kann kannst mein meine mich mir mit morgen nach nein nicht oder sie sind und uns viel vom von wann warum
  welche wer werden wie wieviel wird wo zu zum zur
  au aux avec bonjour ce ces cette comment dans de demain des donne du elle est et faut il je la le les leur lui ma mes moi mon
  nous où par pas peux plaît pour pourquoi quand que quel quelle quels qui sa ses son suis sur te temps tu un une va vers veux vous
  al algo como con cual cuál cuando cuándo cuánto cuanto cuesta del dime donde dónde el ella en eres es ese esta está este estoy
  favor hay hola hoy las lo los mañana más mi muy nos para pero por porque qué quiero quisiera se será si sin sobre su sus tiempo
  tiene una uno y
  anche che chi ciao come cosa da dal dalla degli dei della delle di domani dove e fa gli grazie ho il io mio nel nella non oggi
  per perché più quale quando quanto questo sarà sono ti tra voglio
  amanhã ao as até com como da das do dos ela ele em essa esse esta está eu fazer hoje isso já mais meu minha muito na nas não no
  nos o obrigado onde os ou para pela pelo por qual quando quanto quero se será sua tempo tem um uma você vou
  aan ben bij dat deze die dit een en geen graag het heb hoe hoeveel ik je jij kan kun maar met mij mijn morgen naar niet nog ook
  om onze op te uit van vandaag voor waar waarom wanneer wat weer wel welke wil worden zal zijn
  att av blir det där efter eller en ett från för går har hej hur i idag imorgon inte jag kan med mig min mitt och om på som
  till tack under vad var vi vill är
  af alle at blive dag deg den der dig du eg er et fra hvad hva hvilken hvor hvornår når ikke jeg kan meg mit mye og også om skal
  som til tak vejret vil være vær været
  bardzo będzie co czy dla dnia do dziś gdzie i ile ja jak jaka jaki jest jutro która kiedy mi mnie mój na nie od po pogoda
  poproszę proszę przez się są to w z za
  bana bir bu bugün çok da de en gibi hava ile için kaç kadar lütfen mi misin ne neden nasıl nerede olacak ve yarın
  ei en että huomenna ja jos kuinka kuin missä mikä millainen mitä minä minun moi olen on onko paljon sää tänään`,
  ENGLISH,
);
const MAX_TEXT = 1000;

/**
 * Few words can be of any language: names, numbers and what a target's own texts say count as English, words of other
 * languages, and letters that English has not, against it. What is said of nobody's language is not English.
 */
export function readsAsEnglish(text: string, own: ReadonlySet<string>): boolean {
  let english = 0;
  let other = 0;
  for (const [word] of text.slice(0, MAX_TEXT).matchAll(/[\p{L}\p{M}]+/gu)) {
    const lower = word.toLowerCase();
    const isName = /^\p{Lu}/u.test(word) && english + other > 0;
    if (ENGLISH.has(lower) || own.has(stem(lower))) english++;
    else if (!isName && (OTHER.has(lower) || /[^a-z]/.test(lower))) other++;
  }
  return english > 0 && english > other;
}

/** Stems of all words that a target's configuration says. */
export function ownVocabulary(texts: readonly string[], parameters: readonly Parameter[]) {
  const said = [
    ...texts,
    ...parameters.flatMap(({ name, description, enum: options = [] }) => [
      name,
      description,
      ...options.map(String),
    ]),
  ];
  const words =
    said
      .join(" ")
      .replaceAll("_", " ")
      .toLowerCase()
      .match(/\p{L}{2,}/gu) ?? [];
  return new Set(words.map(stem));
}

function wordSet(words: string, without: ReadonlySet<string> = new Set()): Set<string> {
  return new Set(words.split(/\s+/).filter((word) => !without.has(word)));
}
