// A character that may also be text, such as ❤, is an emoji when joined to the next one; joiners and tags belong to
// their emoji.
// No literal: browsers that do not know the flag `v` would not load the script.
const pattern = String.raw`(?:\p{RGI_Emoji}|\p{Emoji_Presentation}|\p{Emoji_Modifier}|\p{Extended_Pictographic}(?=\u200D))[\u200D\uFE0E\uFE0F\u{E0020}-\u{E007F}]*`
let emoji: RegExp | undefined

/** Comments and tag names hold no emoji: they are removed. */
export function withoutEmojis(text: string): string {
  emoji ??= new RegExp(pattern, 'gv')
  return text.replace(emoji, '')
}
