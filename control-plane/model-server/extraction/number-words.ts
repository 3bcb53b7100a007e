// Numbers as words of seven languages, without accents: what is one word, and how two words are one number.

const LISTS: readonly [number, number, string][] = [
  [0, 1, "zero one two three four five six seven eight nine ten eleven twelve"],
  [13, 1, "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"],
  [30, 10, "thirty forty fifty sixty seventy eighty ninety hundred"],
  [2, 1, "zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn"],
  [16, 1, "sechzehn siebzehn achtzehn neunzehn zwanzig"],
  [30, 10, "dreissig vierzig funfzig sechzig siebzig achtzig neunzig hundert"],
  [2, 1, "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"],
  [20, 10, "vingt trente quarante cinquante soixante"],
  [2, 1, "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"],
  [16, 1, "dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintidos veintitres"],
  [24, 1, "veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve"],
  [30, 10, "treinta cuarenta cincuenta sesenta setenta ochenta noventa cien"],
  [200, 100, "doscientos trescientos cuatrocientos quinientos seiscientos setecientos"],
  [800, 100, "ochocientos novecientos"],
  [2, 1, "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici"],
  [15, 1, "quindici sedici diciassette diciotto diciannove venti"],
  [30, 10, "trenta quaranta cinquanta sessanta settanta ottanta novanta cento"],
  [2, 1, "dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis"],
  [16, 1, "dezasseis dezessete dezoito dezenove vinte"],
  [30, 10, "trinta quarenta cinquenta sessenta setenta oitenta noventa cem"],
  [200, 100, "duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos"],
  [2, 1, "twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien"],
  [16, 1, "zestien zeventien achttien negentien twintig"],
  [30, 10, "dertig veertig vijftig zestig zeventig tachtig negentig honderd"],
];
const OTHERS: Readonly<Record<string, number>> = {
  ...{ quatorze: 14, dezassete: 17, dezanove: 19, duas: 2, couple: 2, dozen: 12, half: 0.5 },
  ...{ ventuno: 21, ventotto: 28, quatrevingt: 80, ciento: 100, cent: 100, cents: 100, nul: 0 },
  ...{ null: 0, cero: 0, mil: 1000, mille: 1000, mila: 1000, tausend: 1000, duizend: 1000 },
  ...{
    novecentos: 900,
    dreißig: 30,
    thousand: 1000,
    million: 1e6,
    millionen: 1e6,
    millones: 1e6,
    milioni: 1e6,
  },
};
const ONES = {
  de: "ein zwei drei vier funf sechs sieben acht neun".split(" "),
  nl: "een twee drie vier vijf zes zeven acht negen".split(" "),
  it: "uno due tre quattro cinque sei sette otto nove".split(" "),
};

export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...LISTS.flatMap(([first, step, words]) =>
    words.split(" ").map((word, index): [string, number] => [word, first + index * step]),
  ),
  ...Object.entries(OTHERS),
  ...compounds("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig", ONES.de, "und"),
  ...compounds("twintig dertig veertig vijftig zestig zeventig tachtig negentig", ONES.nl, "en"),
  ...ONES.it.flatMap((one, index): [string, number][] =>
    "venti trenta quaranta cinquanta sessanta settanta ottanta novanta"
      .split(" ")
      .map((ten, place) => [
        (/^[uo]/.test(one) ? ten.slice(0, -1) : ten) + one,
        20 + 10 * place + index + 1,
      ]),
  ),
  ...hundreds(ONES.de, "hundert"),
  ...hundreds(ONES.nl, "honderd"),
  ...hundreds(ONES.it, "cento"),
]);

/** `einundzwanzig`, `eenentwintig` */
function compounds(tens: string, ones: readonly string[], and: string): [string, number][] {
  return tens
    .split(" ")
    .flatMap((ten, place) =>
      ones.map((one, index): [string, number] => [one + and + ten, 20 + 10 * place + index + 1]),
    );
}

/** `zweihundert`, `duecento` */
function hundreds(ones: readonly string[], hundred: string): [string, number][] {
  return ones.slice(1).map((one, index) => [one + hundred, 100 * (index + 2)]);
}

/** They count before a unit (`an hour`), and not alone. */
export const ARTICLES: ReadonlySet<string> = new Set(
  "a an one ein eine einen eins un une una uno um uma een".split(" "),
);
/** Words between the parts of a number: `two hundred and five`, `treinta y cinco`. */
export const CONNECTORS: ReadonlySet<string> = new Set("of and und et y e en de di".split(" "));

/** Returns the number of a word without accents, such as `twenty`. */
export function numberWord(word: string): number | undefined {
  return word === "one" ? 1 : NUMBER_WORDS.get(word);
}
