// A worker thread that estimates how easily a password is guessed: one check can take a quarter of a second, and the
// dictionary takes 25 MB. lib/password-estimator.ts starts and ends it.
import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import type { EstimateRequest, EstimateResponse } from './protocol.ts'

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })

parentPort?.on('message', ({ id, password, own }: EstimateRequest) => {
  const { score, feedback } = estimator.check(password, [...own])
  const response: EstimateResponse = { id, score, warning: feedback.warning, suggestions: feedback.suggestions }
  parentPort?.postMessage(response)
})
