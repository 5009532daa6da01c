// A character that may also be text, such as ❤, is an emoji when joined to the next one, or followed by a skin tone or the
// sign for emoji; joiners and tags belong to their emoji. Without the flag `v`, which not all browsers know.
const emoji =
  /(?:[#*0-9]\uFE0F\u20E3|(?![#*0-9])\p{Emoji}(?=\uFE0F)|\p{Emoji_Modifier_Base}(?=\p{Emoji_Modifier})|\p{Emoji_Presentation}|\p{Emoji_Modifier}|\p{Extended_Pictographic}(?=\u200D))[\u200D\uFE0E\uFE0F\u{E0020}-\u{E007F}]*/gu

/** Comments and tag names hold no emoji: they are removed. */
export const withoutEmojis = (text: string) => text.replace(emoji, '')
