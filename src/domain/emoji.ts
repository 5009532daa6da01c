// A character that may also be text, such as ❤, is an emoji when joined to the next one; joiners and tags belong to
// their emoji.
const emoji =
  /(?:\p{RGI_Emoji}|\p{Emoji_Presentation}|\p{Emoji_Modifier}|\p{Extended_Pictographic}(?=\u200D))[\u200D\uFE0E\uFE0F\u{E0020}-\u{E007F}]*/gv

/** Comments and tag names hold no emoji: they are removed silently. */
export const withoutEmojis = (text: string) => text.replace(emoji, '')
