// Progress of long operations on one line of a terminal; not printed to a file or a pipe.
const isShown = process.stderr.isTTY

export const progress = {
  show(text: string) {
    if (isShown) process.stderr.write(`\r\x1b[K${text}`)
  },
  end() {
    if (isShown) process.stderr.write('\r\x1b[K')
  },
}
