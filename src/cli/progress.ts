// How far long work has come, on one line of a terminal; a log file or a pipe hears nothing.
const isShown = process.stderr.isTTY

export const progress = {
  say(text: string) {
    if (isShown) process.stderr.write(`\r\x1b[K${text}`)
  },
  end() {
    if (isShown) process.stderr.write('\r\x1b[K')
  },
}
