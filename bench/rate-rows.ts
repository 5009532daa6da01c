import { perSecond, type Row } from './kit.ts'
import type { Rate } from './load.ts'

export const ratesLine = (rates: Record<string, Rate>) =>
  Object.entries(rates)
    .map(([name, { ofClock, ofCpu }]) => `${name} ${perSecond(ofClock)}, ${perSecond(ofCpu)} of CPU`)
    .join(' · ')

const figure = ({ ofClock, ofCpu }: Rate) => `${perSecond(ofCpu)} of CPU (${perSecond(ofClock)})`

export const ratioRow = (row: string, rate: Rate, baseline: Rate, aim?: Row['aim']): Row => ({
  row,
  figure: figure(rate),
  baseline: figure(baseline),
  ratio: rate.ofCpu / baseline.ofCpu,
  ...(aim && { aim }),
})

/** How many times as long: the inverse of the rates. */
export const timesRow = (row: string, rate: Rate, baseline: Rate, atMost: number): Row => ({
  ...ratioRow(row, rate, baseline),
  ratio: baseline.ofCpu / rate.ofCpu,
  aim: { atMost },
})
