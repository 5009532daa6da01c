import { withoutEmojis } from '../../../src/domain/emoji.ts'

// The server removes emoji from notes and tag names.

export const isOnlyEmojis = (text: string) => text.trim() !== '' && withoutEmojis(text).trim() === ''

/** Props of a field whose emoji are not stored: a hint while it has some, and an error while it has nothing else. */
export function emojiHint(text: string) {
  const inputWrapperOrder: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']
  if (isOnlyEmojis(text)) return { error: 'Add text: emoji are not stored.', inputWrapperOrder }
  if (withoutEmojis(text) === text) return { inputWrapperOrder }
  return { description: 'Emoji are not stored. The text is saved without them.', inputWrapperOrder }
}
