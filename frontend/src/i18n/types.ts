/** The shape of a dictionary: flat keys per feature, `{name}` for parameters, one/other where a number decides. */

export type Message = string | { readonly one: string; readonly other: string }

/** What a translated dictionary of a feature must have: the same keys as the English one. */
export type Translation<Source> = { readonly [Key in keyof Source]: Message }

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

type TextOf<M> = M extends string
  ? M
  : M extends { readonly other: infer Other extends string }
    ? Other | 'x{n}'
    : never

/** The names of the parameters a message needs. */
export type ParamsOf<M> = NamesIn<TextOf<M>>

export type Param = string | number
