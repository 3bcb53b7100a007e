// Lint rules: typescript-eslint's strict, type-checked set for what Node runs, and the rule of no traps for the filter.
import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** Trapping words: in the filter a trap is an outage, so no input may reach one (docs: "Never trap on input"). */
const traps = [
  { selector: "ThrowStatement", message: "A throw traps the VM: return a Fault or a bool." },
  { selector: "TSNonNullExpression", message: "`!` traps on null: test for null." },
  { selector: "CallExpression[callee.name='assert']", message: "assert traps: return a Fault." },
];

/** Folders of the filter that read and write memory by functions of bytes/ and host/. */
const withoutMemory = [
  "filter/{attempt,callouts,config,contexts,dialects,exchange,guards,hub,limits,observe,prompt,response,stages}/**/*.ts",
];
const memory = {
  selector: "CallExpression[callee.name=/^(load|store|changetype)$/]",
  message: "Only bytes/, memory/ and host/ access memory: use or add a function there.",
};

export default defineConfig(
  { ignores: ["build/", "coverage/", "node_modules/"] },
  {
    // Without types: those of the compiler bring an Array of their own, for every file that is read with them.
    files: ["scripts/constant-bytes.ts", "scripts/visit-globals.ts"],
    languageOptions: { parser: tseslint.parser },
  },
  {
    files: ["**/*.ts", "**/*.mjs"],
    ignores: [
      "filter/**",
      "**/*.entry.ts",
      "scripts/constant-bytes.ts",
      "scripts/visit-globals.ts",
    ],
    extends: [
      js.configs.recommended,
      tseslint.configs.strictTypeChecked,
      tseslint.configs.stylisticTypeChecked,
    ],
    languageOptions: {
      // One program for all files: the project service makes two, and a quarter more work.
      parserOptions: { project: ["tsconfig.json"], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      // `a || b` for "unset or empty" is meant so for environment variables.
      "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: true }],
      // There are no enums, and private members are `#private`, which tsc checks: together a quarter of the time.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "@typescript-eslint/dot-notation": "off", // environment["HOME"] says that it may be missing
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "no-undef": "off", // tsc knows better
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", destructuredArrayIgnorePattern: "^_" },
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "ExportDefaultDeclaration", message: "Export a name." },
      ],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-restricted-imports": [
        "error",
        {
          name: "assemblyscript/asc",
          message:
            "Its types redefine Array for the whole program: run node_modules/assemblyscript/bin/asc.js.",
        },
      ],
    },
  },
  {
    // Compiled by AssemblyScript too: a class gives the shape of object literals, and each field its type.
    files: ["contract/**/*.ts"],
    rules: {
      "@typescript-eslint/consistent-type-imports": "off",
      "@typescript-eslint/no-inferrable-types": "off",
      "@typescript-eslint/prefer-for-of": "off",
    },
  },
  // Configuration files have to export a default.
  { files: ["*.config.ts", "*.config.mjs"], rules: { "no-restricted-syntax": "off" } },
  {
    // AssemblyScript: its types are not TypeScript's, so only the shape of the code is looked at.
    files: ["filter/**/*.ts", "**/*.entry.ts"],
    // Decorators on functions are AssemblyScript's, and no TypeScript.
    languageOptions: { parser: tseslint.parser, parserOptions: { allowInvalidAST: true } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { "@typescript-eslint": tseslint.plugin },
    rules: {
      "no-restricted-syntax": ["error", ...traps],
      // The compiler accepts a second declaration of an imported name, and chooses one.
      "@typescript-eslint/no-redeclare": "error",
      "@typescript-eslint/no-shadow": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
      complexity: ["error", 24],
      "max-lines-per-function": ["error", { max: 60, skipComments: true, skipBlankLines: true }],
      "max-depth": ["error", 4],
      "no-unreachable": "error",
      "no-self-compare": "error",
      "no-dupe-else-if": "error",
      "no-duplicate-imports": "error",
      "no-fallthrough": "error",
      "no-useless-return": "error",
      "no-else-return": "off",
      "no-constant-condition": ["error", { checkLoops: false }],
      "prefer-const": "error",
      eqeqeq: "off",
    },
  },
  { files: withoutMemory, rules: { "no-restricted-syntax": ["error", ...traps, memory] } },
);
