const emoji = /\p{RGI_Emoji}|\p{Emoji_Presentation}|\p{Emoji_Modifier}/gv

/** Comments and tag names carry no emojis: they are taken out without a word. */
export const withoutEmojis = (text: string) => text.replace(emoji, '')
