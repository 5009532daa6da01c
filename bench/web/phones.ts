import { WebSocket } from 'ws'

// Phone apps of many agents, in a process of their own: reports when each ring arrived.

interface Task {
  base: string
  authorization: string
  users: number[]
}

const now = () => performance.timeOrigin + performance.now()

process.on('message', async ({ base, authorization, users }: Task) => {
  await Promise.all(
    users.map(
      (userId) =>
        new Promise<void>((resolve, reject) => {
          const address = `${base.replace('http', 'ws')}/live?user_id=${userId}`
          const socket = new WebSocket(address, { headers: { authorization } })
          socket.on('error', reject)
          socket.on('message', (data) => {
            const at = now()
            const message = JSON.parse(data.toString())
            if (message.type === 'hello') resolve()
            if (message.type === 'ring') process.send?.({ key: message.key, at })
          })
        }),
    ),
  )
  process.send?.('ready')
})
