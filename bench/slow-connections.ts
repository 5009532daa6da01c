// Two hundred slow clients, in a process of their own so that they do not slow down the one that measures.
import { connect } from 'node:net'

const { hostname, port } = new URL(process.argv[2] ?? '')
const count = Number(process.argv[3])
const slowHeaders = 'GET /v1/ping HTTP/1.1\r\nHost: a\r\nX-Slow: '
const slowBody = 'POST /v1/contacts HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n'
const begins = [slowHeaders, slowBody, '']

const sockets = Array.from({ length: count }, (_, i) => {
  const socket = connect(Number(port), hostname)
  // The server may close it.
  socket.on('error', () => {})
  socket.write(begins[i % begins.length] ?? '')
  return socket
})
await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
setInterval(() => {
  for (const [i, socket] of sockets.entries())
    if (begins[i % begins.length] !== '' && socket.writable) socket.write('a')
}, 100)
console.log('ready with slow connections')
