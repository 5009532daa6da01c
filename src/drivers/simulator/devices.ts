import type { DeviceContact, DialOptions, LegId, SipDevice } from '../../domain/voice.ts'
import { hour } from '../../lib/clock.ts'
import type { SimulatedDevices } from '../../services.ts'
import { afterOnLeg, connectLeg, endLeg, openDialog, openLeg } from './leg-lifecycle.ts'
import { pressDigit } from './leg-speech.ts'
import type { SimulatedLeg } from './legs.ts'
import type { Switchboard } from './switchboard.ts'

export function createSimulatedDevices(board: Switchboard) {
  const known = new Set<string>()
  const legs = new Map<string, SimulatedLeg[]>()

  board.endListeners.push((leg) => {
    for (const [deviceId, all] of legs)
      legs.set(
        deviceId,
        all.filter((one) => one !== leg),
      )
  })

  const contactOf = (deviceId: string): DeviceContact => ({
    uri: `sip:${deviceId}@simulated.invalid`,
    transport: 'udp',
    address: '192.0.2.1',
    port: 5_060,
    expiresAt: board.clock.machineNow() + hour,
    userAgent: 'Simulated desk phone',
  })

  function latest(deviceId: string): SimulatedLeg {
    const leg = legs.get(deviceId)?.at(-1)
    if (!leg) throw new Error(`Device ${deviceId} has no call`)
    return leg
  }

  function open(deviceId: string, phase: SimulatedLeg['phase']): SimulatedLeg {
    const leg = openLeg(board, 'left', null, phase)
    legs.set(deviceId, [...(legs.get(deviceId) ?? []), leg])
    return leg
  }

  const phases = { dialling: 'ringing', incoming: 'calling', up: 'on_call' } as const

  const devices: SimulatedDevices = {
    register(deviceId) {
      if (!known.has(deviceId)) throw new Error(`No device ${deviceId}`)
      board.emit({ kind: 'device.registered', deviceId, contact: contactOf(deviceId) })
    },
    unregister: (deviceId) => board.emit({ kind: 'device.gone', deviceId, uri: contactOf(deviceId).uri }),
    call(deviceId, to) {
      const leg = open(deviceId, 'incoming')
      board.emit({ kind: 'leg.incoming', leg: leg.id, trunkId: '', from: deviceId, to, deviceId })
      return leg.id
    },
    state(deviceId) {
      const leg = legs.get(deviceId)?.at(-1)
      return leg && phases[leg.phase]
    },
    answer: (deviceId) => connectLeg(board, latest(deviceId)),
    decline: (deviceId) => endLeg(board, latest(deviceId), 'rejected', 603),
    busy: (deviceId) => endLeg(board, latest(deviceId), 'busy', 486),
    hangUp(deviceId) {
      const leg = latest(deviceId)
      endLeg(board, leg, leg.phase === 'up' ? 'hangup' : 'cancelled')
    },
    hold: (deviceId, held) => board.emit({ kind: 'leg.remoteHold', leg: latest(deviceId).id, held }),
    press: (deviceId, digit) => pressDigit(board, latest(deviceId), digit),
    transfer(deviceId, to) {
      const [first, second] = legs.get(deviceId) ?? []
      if (!first) throw new Error(`Device ${deviceId} has no call`)
      const both = to === 'second call' && second ? { to: '', replaces: second.id } : { to }
      board.emit({ kind: 'leg.referred', leg: first.id, ...both })
    },
    pressAt(phone, digit) {
      for (const leg of board.legs.values()) if (leg.phone === phone) pressDigit(board, leg, digit)
    },
  }

  return {
    devices,
    setDevices(wanted: readonly SipDevice[]) {
      known.clear()
      for (const { deviceId } of wanted) known.add(deviceId)
    },
    dialDevice(deviceId: string, { timeoutMs }: DialOptions): LegId {
      const leg = open(deviceId, 'dialling')
      afterOnLeg(board, leg, 0, () => {
        openDialog(board, leg)
        board.emit({ kind: 'leg.progress', leg: leg.id, code: 180 })
      })
      afterOnLeg(board, leg, timeoutMs, () => leg.phase === 'dialling' && endLeg(board, leg, 'no_answer', 480))
      return leg.id
    },
  }
}
