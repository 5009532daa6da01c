/**
 * Keys that end, decline, hold or transfer a call need Ctrl and Shift (Command and Shift on a Mac), so that text typed
 * outside a field does not trigger them.
 */
export const shortcutList = [
  ['A', 'Accept the incoming call'],
  ['Ctrl+Shift+D', 'Decline the incoming call'],
  ['M', 'Mute or unmute'],
  ['Ctrl+Shift+H', 'Hold or resume'],
  ['K', 'Keypad'],
  ['Ctrl+Shift+X', 'Transfer'],
  ['I', 'Add participant'],
  ['R', 'Pause or resume the recording'],
  ['Ctrl+Shift+E', 'End the call'],
  ['F', 'Finish wrap-up'],
  ['?', 'Show this list'],
] as const
