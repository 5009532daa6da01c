// A sign that may also be text, such as ❤, is one when it is joined to the next; joiners and tags go with their emoji.
const emoji =
  /(?:\p{RGI_Emoji}|\p{Emoji_Presentation}|\p{Emoji_Modifier}|\p{Extended_Pictographic}(?=\u200D))[\u200D\uFE0E\uFE0F\u{E0020}-\u{E007F}]*/gv

/** Comments and tag names carry no emojis: they are taken out without a word. */
export const withoutEmojis = (text: string) => text.replace(emoji, '')
