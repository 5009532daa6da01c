import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A mail server that accepts everything (RFC 5321); `mails` are the messages in the order in which they arrived. */
export async function mailServer(): Promise<{ url: string; mails: string[] }> {
  const mails: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let text = ''
    let isData = false
    socket.write('220 test\r\n')
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
      for (;;) {
        const end = isData ? text.indexOf('\r\n.\r\n') : text.indexOf('\r\n')
        if (end < 0) return
        const line = text.slice(0, end)
        text = text.slice(end + (isData ? 5 : 2))
        if (isData) mails.push(line)
        isData = !isData && line.toUpperCase().startsWith('DATA')
        socket.write(isData ? '354 go ahead\r\n' : '250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `smtp://127.0.0.1:${address.port}`, mails }
}
