import path from 'node:path'
import { digestSender } from '../delivery/consequences.ts'
import { deliveryReconciler, webhookProber } from '../delivery/jobs.ts'
import type { RunningCalls } from '../engine/calls.ts'
import { assetPublisher, assetReady, callEndedPublisher } from '../engine/post-call.ts'
import { dialledCleaner } from '../engine/toll-guard.ts'
import { voicemailMailer } from '../engine/voicemail-emails.ts'
import { alertSender } from '../features/accounts/alerts/send.ts'
import { mailSender } from '../features/accounts/emails/queue.ts'
import { wrapUpTimer } from '../features/accounts/presence/actions.ts'
import { resetMailer } from '../features/accounts/sign-in/actions.ts'
import { absenceEnd, userHoursTurn } from '../features/accounts/users/change.ts'
import { deletionEventEraser, userEraser } from '../features/accounts/users/erasure.ts'
import { exportReportJob } from '../features/analytics/exports/make-report.ts'
import { reportDueJob, reportSendJob } from '../features/analytics/scheduled-reports/run.ts'
import { liveWatcher } from '../features/calls/live-alerts/watch.ts'
import { bulkChangeRunner } from '../features/contacts/bulk/actions.ts'
import { contactDeletionEventEraser, contactEraser } from '../features/contacts/contacts/erasure.ts'
import { nameIndexer, wordForgetter } from '../features/contacts/names/index-names.ts'
import { importRunner } from '../features/imports/runs/run.ts'
import { appRemover } from '../features/integrations/oauth/actions.ts'
import { fillReplayJob } from '../features/integrations/replays/fill.ts'
import { transcriptIndexer } from '../features/intelligence/across-calls/index-transcripts.ts'
import { recordingConverter } from '../features/intelligence/recordings/convert.ts'
import { analysisJob, llmAnalysisJob } from '../features/intelligence/results/analyse.ts'
import { transcriptJob } from '../features/intelligence/results/build-transcript.ts'
import { deleteOldRecordings } from '../features/intelligence/results/raw-audio.ts'
import { speechToTextJob } from '../features/intelligence/results/speech-to-text.ts'
import { uploadRemover } from '../features/messages/inbox/uploads.ts'
import { soundFetcher } from '../features/numbers/audio/fetch.ts'
import { numberHoursTurn } from '../features/numbers/numbers/actions.ts'
import { importInviter, userImporter } from '../features/numbers/user-import/actions.ts'
import { phoneIndexer } from '../features/overview/search/index-phones.ts'
import { trunkAlerter } from '../features/trunks/trunks/down-alert.ts'
import { campaignScheduler } from '../features/voice-agents/campaigns/scheduler.ts'
import { passageEmbedder } from '../features/voice-agents/knowledge/embed.ts'
import { documentFetcher } from '../features/voice-agents/knowledge/fetch.ts'
import { dataExtractor } from '../features/voice-agents/sessions/extract-data.ts'
import type { JobHandlers } from '../jobs/runner.ts'
import type { MailServer } from '../lib/mail.ts'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import { mediaFetcher } from '../messaging/media.ts'
import { simulatedReader } from '../messaging/simulator.ts'
import { createRetentionJob } from '../retention.ts'
import { scenarioStepJob } from '../sandbox/run.ts'
import type { Services } from '../services.ts'
import type { AppContext } from './context.ts'

interface Dependencies {
  services: Services
  calls: RunningCalls
  mailServer: MailServer | undefined
  trusted: SafeFetch
}

/** The handler of each kind of job. */
export function jobHandlers(
  { config, overrides }: AppContext,
  { services, calls, mailServer, trusted }: Dependencies,
): JobHandlers {
  return {
    'operator.alert': { background: alertSender({ targets: config.alerts, mailServer, trusted }) },
    'trunk.down': trunkAlerter(services),
    'live.watch': liveWatcher(services),
    'mail.send': mailSender(services, mailServer),
    'password.reset': resetMailer(services),
    'user.erase': userEraser(services),
    'user.farewell': deletionEventEraser(services),
    'contact.erase': contactEraser(services),
    'contact.farewell': contactDeletionEventEraser(services),
    'user.import': { background: userImporter(services), concurrency: 1 },
    'user.import_invitations': importInviter(services),
    'contact.bulk_change': { background: bulkChangeRunner(services), concurrency: 1 },
    'company.import': {
      background: importRunner(services, { trusted, timeoutMs: overrides.requestTimeoutMs }),
      concurrency: 1,
    },
    'contact.forget_words': wordForgetter(services),
    'contact.index_names': { background: nameIndexer(services), concurrency: 1 },
    'contact.index_phones': { background: phoneIndexer(services), concurrency: 1 },
    'transcript.index': { background: transcriptIndexer(services), concurrency: 1 },
    'user.absence_end': absenceEnd(services),
    'user.hours': userHoursTurn(services),
    'number.hours': numberHoursTurn(services),
    'webhook.follow': deliveryReconciler(services),
    'webhook.probe': webhookProber(services),
    'webhook.digest': digestSender(services),
    'replay.fill': fillReplayJob(services),
    'oauth.clear': appRemover(services),
    'user.wrap_up': wrapUpTimer(services),
    'call.ended': callEndedPublisher(services),
    'call.assets': assetPublisher(services),
    'voicemail.email': voicemailMailer(services),
    'call.speech_to_text': { background: speechToTextJob(services), concurrency: 1 },
    'call.build_transcript': { background: transcriptJob(services) },
    'call.analyse': analysisJob(services),
    'call.think': { background: llmAnalysisJob(services), concurrency: 4 },
    'callback.serve': config.roles.calls ? calls.serveCallback : { background: calls.serveCallback },
    'agent_calls.serve': calls.serveAgentCalls,
    'campaigns.serve': campaignScheduler(services),
    'agent_document.fetch': { background: documentFetcher(services), concurrency: 2 },
    'agent_document.embed': { background: passageEmbedder(services), concurrency: 1 },
    'agent_data.extract': { background: dataExtractor(services), concurrency: 4 },
    'recording.convert': recordingConverter(services, assetReady),
    'sound.fetch': { background: soundFetcher(services) },
    'analytics.export': { background: exportReportJob(services), concurrency: 1 },
    'report.due': reportDueJob(services),
    'report.send': { background: reportSendJob(services), concurrency: 1 },
    'message.media': { background: mediaFetcher(services) },
    'message.upload': uploadRemover(services),
    'message.simulated': { batch: simulatedReader(services) },
    'sandbox.step': scenarioStepJob(services),
    retention: createRetentionJob(services, [
      () => dialledCleaner(services),
      () => deleteOldRecordings(path.join(config.dataDir, 'recordings'), services.clock),
    ]),
  }
}
