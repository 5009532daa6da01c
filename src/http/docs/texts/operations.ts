/** Descriptions of operations whose route has none of its own, by operationId. */
export const operationTexts: Record<string, string> = {
  getApiInfo:
    'Returns the name of the API, its documentation and a contact address. It needs no credentials, so it also serves as a reachability check.',
  ping: 'Returns `pong` when the credentials are valid. Use it to test an API key or an access token before anything else.',
  getCompany: 'Returns the company that the credentials belong to, with the number of its users and Numbers.',

  listUsersLegacy:
    'Returns the users of the company, each with the Numbers linked to them, a page at a time. Use `listUsers` instead.',
  getUserLegacy: 'Returns one user with the Numbers linked to them. Use `getUser` instead.',
  updateUserLegacy: 'Changes the given fields of a user and leaves the others as they are. Use `updateUser` instead.',
  listUsers: 'Returns the users of the company, a page at a time, without their Numbers.',
  getUser: 'Returns one user, without the Numbers linked to them.',
  updateUser: 'Changes the given fields of a user and leaves the others as they are.',
  listUserNumbers: 'Returns the Numbers that the user can call from and be reached on, a page at a time.',
  listUserAvailabilities:
    'Returns what every user is doing right now, for example available, in a call or in after-call work, a page at a time.',
  getUserAvailability:
    'Returns what one user is doing right now, for example available, in a call or in after-call work.',

  listTeams: 'Returns the teams of the company with their members, a page at a time.',
  createTeam: 'Creates an empty team. Team names are unique in the company, regardless of case.',
  getTeam: 'Returns one team with its members.',
  addUserToTeam: 'Makes a user a member of a team. Flows that ring the team include the user from the next call on.',
  removeUserFromTeam: 'Ends the membership of a user in a team. Flows that ring the team no longer include the user.',

  createDialerCampaign:
    'Creates the dialer campaign of a user from a list of phone numbers. If the user has an active campaign, the numbers are added to it.',
  deleteDialerCampaign: 'Deletes the dialer campaign of a user with all its phone numbers, called or not.',
  listDialerCampaignNumbers: 'Returns the phone numbers of the campaign and whether the user has called them.',
  addDialerCampaignNumbers:
    'Appends phone numbers to the active dialer campaign of a user. Numbers that are already queued are skipped; if none is new, the request is refused.',
  deleteDialerCampaignNumber: 'Removes one phone number from the dialer campaign of a user.',

  getCall: 'Returns one call: an active one, or one of the last six months.',
  listCallParticipants: 'Returns everyone who took part in the call, in the order in which they joined.',
  listCallIvrOptions: 'Returns the IVR options that the caller selected, in order, with the time of each.',
  pauseRecording:
    'Stops writing audio to the recording until `resumeRecording`, for example while a card number is read out.',
  resumeRecording: 'Continues a recording that was paused.',
  createCallComment:
    'Adds a comment to a call, with no user as its author. Emojis are removed from the text. A call can have five comments. Emits `call.commented`.',
  addCallTags:
    'Adds tags to a call and leaves the ones it already has. If one of the tags is unknown, no tag is added. Emits `call.tagged`.',
  archiveCall: 'Marks a call as done, so that it leaves the to-do list of the agents. Emits `call.archived`.',
  unarchiveCall: 'Puts an archived call back on the to-do list of the agents. Emits no event.',
  deleteRecording: 'Deletes the recording of a call permanently. It cannot be restored.',
  deleteVoicemail: 'Deletes the voicemail of a call permanently. It cannot be restored.',

  getRealtimeTranscription: 'Returns what has been said so far in a call with realtime transcription.',
  getSentiments: 'Returns the overall sentiment of each external participant of a call.',
  getTopics: 'Returns the topics that were discussed in a call.',
  getCustomSummaryResult: 'Returns the summary of a call that follows the template of the company, section by section.',
  getActionItems: 'Returns the action items of a call, those found by speech analysis and those added by agents.',
  getPlaybookResult: 'Returns which topics of its playbook a call covered.',
  getEvaluations: 'Returns the evaluations of a call with the score of every category and question of the scorecard.',

  listNumbers: 'Returns the phone numbers of the company with the users linked to them, a page at a time.',
  getNumber: 'Returns one phone number of the company with the users linked to it.',
  getNumberRegistrationStatus:
    'Returns whether a US or Canadian Number is registered for text messages with the carriers of these countries.',
  setMessageConfiguration:
    'Routes the messages of a Number past the inbox: replies of customers and status changes are sent to `callbackUrl`. Repeating the request replaces the configuration.',
  getMessageConfiguration: 'Returns where the replies and status changes of messages that bypass the inbox are sent.',
  deleteMessageConfiguration:
    'Deletes the configuration of a Number. Messages of customers go to the inbox of the agents again.',
  sendInboxMessage:
    'Sends an SMS or MMS from a Number. It appears in the conversation with the customer in the inbox of the agents. Emits `message.sent`.',
  sendInboxGroupMessage:
    'Sends an SMS or MMS from a Number to a group. It appears in the group conversation in the inbox of the agents. Emits `group_message.sent`.',
  listSmsTemplates: 'Returns the SMS templates of the company, a page at a time.',
  listWhatsappTemplates: 'Returns the message templates of the WhatsApp account that the Number belongs to.',
  getWhatsappStatus: 'Returns whether a Number can send WhatsApp messages, and how the provider rates it.',

  createContact:
    'Creates a shared contact with up to 20 phone numbers and 20 email addresses. Emits `contact.created`.',
  searchContacts: 'Returns the contacts with this phone number or email address, a page at a time.',
  getContact: 'Returns one contact with its phone numbers and email addresses.',
  deleteContact: 'Deletes a contact. Calls with its phone numbers stay. Emits `contact.deleted`.',
  addContactPhoneNumber: 'Adds a phone number to a contact, which can have 20. Emits `contact.updated`.',
  updateContactPhoneNumber: 'Changes the label or the digits of a phone number of a contact. Emits `contact.updated`.',
  deleteContactPhoneNumber: 'Removes a phone number from a contact. Emits `contact.updated`.',
  addContactEmail: 'Adds an email address to a contact, which can have 20. Emits `contact.updated`.',
  updateContactEmail: 'Changes the label or the address of an email address of a contact. Emits `contact.updated`.',
  deleteContactEmail: 'Removes an email address from a contact. Emits `contact.updated`.',

  listTags: 'Returns the tags of the company, a page at a time.',
  createTag: 'Creates a tag with a color. Emojis are removed from the name, which is unique in the company.',
  getTag: 'Returns one tag.',
  updateTag: 'Changes the name or the color of a tag, also where calls already have it.',
  deleteTag: 'Deletes a tag and removes it from every call that has it.',

  enableIntegration:
    'Resumes the deliveries of all webhooks that were created with these credentials. Events that occurred meanwhile are not sent; replay them.',
  disableIntegration:
    'Pauses the deliveries of all webhooks that were created with these credentials. The credentials remain valid for requests.',

  listWebhooks: 'Returns the webhooks of the company, a page at a time.',
  getWebhook: 'Returns one webhook with the events it subscribes to.',
  deleteWebhook: 'Deletes a webhook with its configuration and token. It receives no further events.',
  getDelivery: 'Returns one delivery with the body that was sent and the response to every attempt.',
  getWebhookHealth:
    'Returns whether the endpoint accepts deliveries, how fast it responds and how many deliveries are pending.',
  listReplays: 'Returns the replays of a webhook, a page at a time.',
  getReplay: 'Returns the progress of a replay.',
  cancelReplay: 'Cancels the deliveries of a replay that have not been sent yet.',
  redeliver: 'Sends one delivery again with the same `webhook-id` and a fresh signature, as a replay of one.',

  listAiVoiceAgents: 'Returns the AI voice agents of the company, a page at a time.',
  getAiVoiceAgent: 'Returns one AI voice agent.',
  startAiVoiceAgentCall:
    'Starts an outbound call by an AI voice agent. The call is queued while five AI voice agents are calling, or one from the same Number.',
  listAiVoiceAgentCalls: 'Returns the outbound calls of AI voice agents, a page at a time.',
  getAiVoiceAgentCall: 'Returns one outbound call of an AI voice agent with its current status and its outcome.',
  listOutboundCampaigns: 'Returns the outbound campaigns of AI voice agents with their progress, a page at a time.',
  createOutboundCampaign:
    'Creates an outbound campaign as a draft: an AI voice agent, its recipients, calling hours in their time zones and retries.',
  getOutboundCampaign: 'Returns one outbound campaign with its progress and the outcomes of its calls.',
  updateOutboundCampaign: 'Changes the given settings of an outbound campaign and leaves the others as they are.',
  deleteOutboundCampaign: 'Deletes an outbound campaign with its recipients and results. Its calls remain.',
  startOutboundCampaign: 'Starts a draft: calls are placed within the calling hours of each recipient.',
  pauseOutboundCampaign: 'Places no further calls until the campaign is resumed. Calls in progress continue.',
  resumeOutboundCampaign: 'Continues a campaign that was paused by a user or by the service.',
  cancelOutboundCampaign: 'Ends a campaign. Calls in progress continue, and recipients who wait are cancelled.',
  listOutboundCampaignRecipients:
    'Returns the recipients of a campaign with attempts, last outcome and collected answers, a page at a time.',
  addOutboundCampaignRecipients: 'Adds recipients to a campaign that has not ended.',
  exportOutboundCampaign: 'Returns all recipients of a campaign with their results as CSV.',
  listCallOptOuts: 'Returns the phone numbers that AI voice agents of the company do not call, a page at a time.',
  createCallOptOut:
    'Opts a phone number out of calls by AI voice agents. A number that has opted out already keeps its entry.',
  deleteCallOptOut: 'Removes a phone number from the opt-outs, so that AI voice agents may call it again.',

  listScenarios: 'Returns the prepared scenarios of the sandbox and the parameters of each.',
  getFaults: 'Returns the faults that the sandbox currently simulates for the company.',
}
