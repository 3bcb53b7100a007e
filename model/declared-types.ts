// The types of what contract/ declares in texts: `name: type = default`, `name?: type`.

/** An object with these members. `Objects`: the types by the names that declarations use. */
export type Declared<Declaration, Objects = object> = {
  [D in Declaration as RequiredName<D>]: ValueOf<TypeOf<D>, Objects>;
} & {
  [D in Declaration as OptionalName<D>]?: ValueOf<TypeOf<D>, Objects>;
};

type OptionalName<Text> = Text extends `${infer Name}?: ${string}` ? Name : never;
type RequiredName<Text> = Text extends `${string}?: ${string}`
  ? never
  : Text extends `${infer Name}: ${string}`
    ? Name
    : never;

type TypeOf<Text> = Text extends `${string}: ${infer Type} = ${string}`
  ? Type
  : Text extends `${string}: ${infer Type}`
    ? Type
    : never;

type ValueOf<Type, Objects> = Type extends keyof Objects
  ? Objects[Type]
  : Type extends keyof Plain
    ? Plain[Type]
    : Type extends `(${infer Words})[]`
      ? Split<Words>[]
      : Type extends `${infer Item}[]`
        ? ValueOf<Item, Objects>[]
        : Type extends `{${infer Item}}`
          ? Record<string, ValueOf<Item, Objects>>
          : Split<Type>;

interface Plain {
  string: string;
  number: number;
  boolean: boolean;
  true: true;
}

type Split<Text> = Text extends `${infer First}|${infer Rest}`
  ? Split<First> | Split<Rest>
  : Text extends "true"
    ? true
    : Text;
