choice-other = 其他

# 所有页面。
page-skip = 跳到正文
page-footer = 由 formsvc 提供支持

# 错误。
error-form = 找不到这个表单
error-form-text = 网址可能有误，或者表单已被其所有者撤下。
error-404 = 这个地址没有内容
error-404-text = 请检查网址是否有误，或向发送链接的人确认。
error-403 = 无法执行此操作
error-403-text = 页面可能打开太久了。请返回、刷新页面后再试。
error-405 = 这里无法执行此操作
error-405-text = 请返回上一页再试。
error-408 = 网络连接太慢
error-408-text = 内容没有及时送达，因此没有保存。请返回后重新发送。
error-413 = 内容太大
error-413-text = 发送的内容超出了本页的上限。请返回精简后再发送。
error-429 = 操作过于频繁
error-429-text = 请等待 { $wait } 秒后再试。
error-500 = 服务器出了问题
error-500-text = 问题已被记录，请稍后再试。
error-503 = 服务繁忙
error-503-text = 内容没有保存，请在 { $wait } 秒后再试。
error-other = 操作没有成功
error-status = 状态码 { $status }

## Controls

choice-specify = 请说明
choice-text = { $choice }：请说明
phone-country = 国家或地区
phone-choose-country = 请选择国家或地区

# 表单页面。
form-submit = 提交
form-next = 继续
form-back = 返回
form-optional = （选填）
form-required = （必填）
form-unnamed = 问题
form-page = 第 { $page } 页，共 { $pages } 页
form-card = 第 { $page } 项，共 { $pages } 项
form-on-page = （第 { $page } 页）
form-answered = 已回答 { $answered } 项，共 { $all } 项
form-press = 或按 { $key }
form-progress = 进度
form-title-faults = 需要修改：{ $title }
form-faults = 有 { $count } 处回答需要修改
form-kept = 点击“{ $button }”之前不会保存任何内容；点击后，您的回答将发送到 { $host }。
form-kept-here = 点击“{ $button }”之前，您的回答只保存在此浏览器中；点击后将发送到 { $host }。
form-restored = 欢迎回来。您的回答与离开时一样。
form-start-over = 重新填写
form-start-over-sure = 要清除所有回答并重新填写吗？
form-close = 关闭
form-offline = 您似乎已离线，因此没有发送任何内容。您的回答还在这里。请保持此页面打开，恢复连接后即可发送。
form-online = 您已恢复连接。您的回答还在这里。
form-send-now = 立即发送
form-trap = 请勿填写此项
form-again = 请再提交一次
form-again-text = 提交速度比预期快得多。您填写的内容都还在，请检查后再次提交。
form-sent = 您已经提交过这个表单
form-sent-text = 下面的回答与已保存的不同。如果要作为新的记录添加，请再次提交。
form-busy = 您的回答尚未保存
form-busy-text = 现在提交的人很多。您填写的内容都还在，请在 { $wait } 秒后再次提交。
form-not-stored = 在您填写期间情况发生了变化，因此您的回答没有保存。内容仍保留在下面，方便您复制。
form-open = 表单开放中
form-open-text = 现在可以提交回答。
form-closed = 表单已关闭
form-closed-text = 不再接受回答。如有疑问，请联系发送链接的人。
form-full = 表单已满
form-full-text = 回答数量已达上限。是否会增加名额，请向发送链接的人确认。
form-not-open = 表单尚未开放
form-not-open-text = 您可以先阅读内容，开放后即可提交。
form-opens-at = 开放时间：{ $when }。
form-closes-at = 截止时间：{ $when }。
form-moment = %Y 年 %-m 月 %-d 日 %H:%M（%Z）
form-days = { $count } 天
form-hours = { $count } 小时
form-minutes = { $count } 分钟
form-locked = 此表单受密码保护
form-locked-text = 请输入随邀请收到的密码。
form-password = 密码
form-password-wrong = 密码不正确，请检查后重试。
form-open-it = 打开表单

# 提交之后。
done-title = 谢谢您
done-text = 您的回答已保存，现在可以关闭此页面。
done-serial = 您的记录编号是 { $serial }。
done-lead-on = 继续

# 回答中的问题。
fault-blank = 请回答此问题
fault-taken = 已经有人填写过这个答案
fault-too-long = 最多 { $a } 个字符
fault-too-short = 至少 { $a } 个字符
fault-format = 格式不符合要求
fault-text = 请输入文字
fault-email = 请输入电子邮箱地址，例如 name@example.com
fault-domain = 请使用 { $a } 的邮箱地址
fault-phone = 请输入 { $a } 的电话号码
fault-country = 请从列表中选择国家或地区
fault-number = 请输入数字
fault-at-most = 请输入不大于 { $a } 的数
fault-at-least = 请输入不小于 { $a } 的数
fault-date = 请按 { $a } 的格式输入日期
fault-after = 请选择 { $a } 或更早的日期
fault-before = 请选择 { $a } 或更晚的日期
fault-choice = 请从列出的选项中选择
fault-many-choices = 最多选择 { $a } 项
fault-few-choices = 至少选择 { $a } 项

# Controls: choices.
choice-none = 请选择
rating-point = { $point } 分，满分 { $points } 分
rank-hint = 1 表示您的首选。
rank-up = 将“{ $choice }”上移
rank-down = 将“{ $choice }”下移
rank-add = 将“{ $choice }”加入排序
rank-remove = 将“{ $choice }”移出排序
rank-now = “{ $choice }”排在第 { $rank } 位，共 { $ranks } 位
rank-none = “{ $choice }”未参与排序
fault-url = 请输入网址，例如 https://example.com
fault-time = 请输入时间，例如 14:30
fault-whole = 请输入整数
fault-from-to = 请输入 { $a } 到 { $b } 之间的数字
fault-cascade = 请从列表中逐级选择，直到最后一级
fault-ranking = 请为每个选项指定各自的名次
fault-rank-twice = 两个选项的名次相同
fault-rank-gap = 请从 1 开始连续排序，不要跳过名次
fault-few-ranks = 至少为 { $a } 个选项排序
fault-many-ranks = 最多为 { $a } 个选项排序
# End of choices.

# Controls: grids.
grid-row = 第 { $number } 行
grid-add = 添加一行
grid-more = 更多行
grid-remove = 删除
grid-added = 已添加{ $row }
grid-removed = 已删除{ $row }
grid-point = { $label }：{ $point } / { $points }
fault-many-rows = 最多填写 { $a } 行
fault-few-rows = 至少填写 { $a } 行
# End of grids.

# Controls: places and files.
place-country = 国家或地区
place-choose-country = 请选择国家或地区
place-line1 = 街道和门牌号
place-line2 = 楼层、房间号
place-city = 城市
place-state = 省份
place-choose-state = 请选择省份
place-postal-code = 邮政编码
fault-choose-country = 请选择国家或地区
fault-state = 请选择 { $a } 的省份
fault-state-code = 请先选择国家或地区，再选择省份
country-CN = 中国
country-HK = 中国香港
country-MO = 中国澳门
country-TW = 中国台湾
state-CN-AH = 安徽省
state-CN-BJ = 北京市
state-CN-CQ = 重庆市
state-CN-FJ = 福建省
state-CN-GD = 广东省
state-CN-GS = 甘肃省
state-CN-GX = 广西壮族自治区
state-CN-GZ = 贵州省
state-CN-HA = 河南省
state-CN-HB = 湖北省
state-CN-HE = 河北省
state-CN-HI = 海南省
state-CN-HK = 香港特别行政区
state-CN-HL = 黑龙江省
state-CN-HN = 湖南省
state-CN-JL = 吉林省
state-CN-JS = 江苏省
state-CN-JX = 江西省
state-CN-LN = 辽宁省
state-CN-MO = 澳门特别行政区
state-CN-NM = 内蒙古自治区
state-CN-NX = 宁夏回族自治区
state-CN-QH = 青海省
state-CN-SC = 四川省
state-CN-SD = 山东省
state-CN-SH = 上海市
state-CN-SN = 陕西省
state-CN-SX = 山西省
state-CN-TJ = 天津市
state-CN-TW = 台湾省
state-CN-XJ = 新疆维吾尔自治区
state-CN-XZ = 西藏自治区
state-CN-YN = 云南省
state-CN-ZJ = 浙江省
location-find = 使用我的位置
location-seeking = 正在获取您的位置…
location-found = 已填入您的位置。您可以再补充地点名称。
location-denied = 您的浏览器未向本页提供位置。您可以手动填写。
location-failed = 未能获取您的位置。请重试或手动填写。
location-latitude = 纬度
location-longitude = 经度
location-address = 地点名称
file-image = 仅限图片。
file-video = 仅限视频。
file-audio = 仅限音频。
file-document = 仅限文档：PDF、文本、表格和演示文稿。
file-custom = 仅限以下类型：{ $types }。
file-room = 最多 { $count } 个文件，每个不超过 { $size } MB。
file-remove = 移除 { $name }
file-too-large = { $name } 超过 { $size } MB，未添加。
file-too-many = 最多 { $count } 个文件，其余未添加。
file-photo = 拍照
audio-file = 音频文件
audio-without = 请用设备上的应用录音，然后在此选择文件。最长 { $time }。
audio-with = 也可以不录音，直接选择文件。最长 { $time }。
audio-record = 录音
audio-stop = 停止
audio-again = 重新录音
audio-delete = 删除录音
audio-player = 您的录音
audio-recording = 正在录音…
audio-done = 录音完成。您可以试听或重新录音。
audio-deleted = 录音已删除。
audio-denied = 您的浏览器不允许本页使用麦克风。请允许，或在下方选择音频文件。
audio-failed = 未能录音。是否已连接麦克风？您也可以在下方选择音频文件。
signature-way = 签名方式
signature-draw = 手写
signature-type = 输入
signature-pad = 签名区域，可用手指、触控笔或鼠标签名，也可以改为输入姓名。
signature-preview = 您的姓名签名
signature-undo = 撤销
signature-clear = 清除
signature-signed = 已签名
signature-cleared = 签名已清除
signature-file = 签名图片
signature-typed = 或输入姓名作为签名
fault-not-uploaded = 未收到此文件，请重新选择
fault-many-files = 最多选择 { $a } 个文件
# End of places and files.

# Controls: shop.
fault-goods = 请从列出的商品中选择
fault-option = 请从列出的规格中选择
fault-item = 请从列出的项目中选择
fault-day = 请选择日期
fault-day-shut = 这一天不能预约，请选择其他日期
fault-slot = 请选择当天的一个时段
fault-slot-end = 请选择结束时间
fault-twice = 您已经预约了这个时间，请选择其他时间
fault-one = 每次只能预约一个名额
fault-many-bookings = 最多预约 { $a } 项
shop-price = { $currency }{"\u00A0"}{ $amount }
shop-from = { $price } 起
shop-before = 原价：
shop-total = 合计：{ $price }
shop-number = 数量
shop-variant = 再选一种规格
shop-choose = 请选择
shop-less = 减少
shop-more = 增加
shop-what = 项目
shop-day = 日期
shop-time = 时段
shop-choose-time = 请选择时段
shop-places = 名额
shop-booking = 再预约一个时间
shop-remove = 删除这项预约
shop-nothing = { $day }不能预约，请选择其他日期。
shop-weekday = { $day ->
    [1] 星期一
    [2] 星期二
    [3] 星期三
    [4] 星期四
    [5] 星期五
    [6] 星期六
   *[7] 星期日
}
# End of shop.

# Controls: linked.
linked-search = 搜索
linked-find = 搜索
linked-none = 没有找到结果。
linked-count = 找到 { $count } 项。
linked-more = 还有更多结果，请输入更多文字缩小范围。
linked-hint = 请从列表中选择一项。
linked-longer = 请至少输入两个字符。
linked-failed = 搜索失败，请重试。
linked-clear = 清除
linked-nothing = 都不是
fault-linked = 请从列表中选择一项
system-serial-number = 编号
system-created-at = 提交时间
system-updated-at = 修改时间
system-info-filling-duration = 填写时长（秒）
system-creator-name = 提交人
system-x-field-1 = 链接参数
system-exam-score = 得分
system-gen-code = 验证码
system-total-price = 总价
system-preferential-price = 优惠后总价
system-reservation-status-fsf-field = 预约状态
system-x-field-certificate = 证书
system-evaluation-report = 测评报告
system-status-reserved = 已预约
system-status-cancelled = 已取消
system-status-completed = 已完成
# End of linked.

# Controls: rules and formulas.
form-more = 还有问题需要回答
form-more-text = 根据您的回答，出现了新的问题。您填写的内容都还在。
# End of rules and formulas.

# 有账号的人使用的页面。
account-nav = 账号
account-sign-out = 退出登录
account-name = 您的姓名
account-email = 电子邮箱
account-password = 密码
account-password-notes = 至少 10 个字符。连着写几个词，好记又难猜。
account-organization = 组织
account-organization-notes = 您的公司、学校、社团或家庭。
account-locale = 语言
account-timezone = 时区
account-timezone-notes = 新表单中的日期和时间按此时区理解。
account-faults = 有些内容需要再看一下
account-elsewhere = 请通过本服务自己的地址打开
account-elsewhere-text = 在您使用的地址上无法登录。本服务的地址是：
account-elsewhere-owner = 如果您是管理员，而此地址不正确，请用 --base-url 指定正确的地址后启动 formsvc。
account-fault-blank = 请填写此项
account-fault-email = 请输入电子邮箱，例如 ann@example.org
account-fault-taken = 该邮箱已有账号
account-fault-common = 很多人使用这个密码，容易被猜到。请换一个。
account-fault-same-as-email = 密码不能与电子邮箱相同
account-fault-wrong = 这不是您的密码
account-fault-scopes = 请至少选择一项权限
account-fault-locale = 请选择列出的语言
account-fault-timezone = 请选择列出的时区，例如 Asia/Shanghai
account-fault-nul = 请去掉 NUL 字符
account-fault-short = 至少需要 { $least } 个字符
account-fault-long = 最多 { $most } 个字符

sign-in-title = 登录
sign-in-button = 登录
sign-in-nobody = 还没有任何账号
sign-in-nobody-text = 请打开 formsvc 启动时显示的链接，或运行“formsvc setup-link”获取新链接。
sign-in-refused = 登录失败
sign-in-refused-text = 电子邮箱或密码不正确。
sign-in-wait = 尝试次数过多
sign-in-wait-seconds = 请等待 { $wait } 秒后再试。
sign-in-wait-minutes = 请等待 { $wait } 分钟后再试。

setup-title = 欢迎使用 formsvc
setup-lead = 请创建您的账号。它是第一个账号，也是本服务的所有者。
setup-button = 创建账号
setup-spent = 此链接已失效
setup-spent-text = 它已被使用，或已超过 30 分钟。如果您有账号，请登录。如果还没有任何账号，请在运行 formsvc 的机器上获取新链接：
setup-token-name = 第一个令牌

welcome-title = 您的账号已就绪
welcome-lead = 您已登录。下面是收集第一批答案的方法。
welcome-sample = 试一试表单
welcome-sample-text = 点一下即可生成示例表单，像访客一样填写它。
welcome-token = 使用 API
welcome-token-text = 这是您的第一个访问令牌。有效期 90 天，只显示这一次：请妥善保存。
welcome-curl = 用下面的命令可以创建一个表单：
welcome-on = 前往个人资料

sample-button = 生成示例表单
sample-title = 花园聚会
sample-description = 期待您的到来。请告诉我们您哪天有空、喜欢吃什么。
sample-name = 您的姓名
sample-email = 您的电子邮箱
sample-email-notes = 日期确定后我们会写信给您，仅此一次。
sample-day = 您哪天最方便？
sample-day-1 = 星期五晚上
sample-day-2 = 星期六下午
sample-day-3 = 星期日上午
sample-food = 您喜欢吃什么？
sample-food-1 = 沙拉
sample-food-2 = 烧烤
sample-food-3 = 蛋糕
sample-words = 还有什么想说的吗？
sample-api-name = 我的第一个表单

profile-title = 个人资料
profile-about = 关于您
profile-owner = 所有者
profile-member = 成员
profile-save = 保存
profile-password = 修改密码
profile-password-text = 您在其他地方的登录都会退出。
profile-password-old = 当前密码
profile-password-new = 新密码
profile-tokens = 访问令牌
profile-tokens-text = 程序凭令牌以您的名义使用 API。
profile-tokens-none = 您还没有令牌。
profile-token-new = 创建令牌
profile-token-name = 名称
profile-token-name-notes = 写明用途，以便日后辨认。
profile-token-scopes = 权限
profile-token-expires = 有效期至
profile-token-used = 上次使用
profile-token-unused = 尚未使用
profile-token-create = 创建令牌
profile-token-made = 您的新令牌
profile-token-once = 只显示这一次：请妥善保存。
profile-curl = 用下面的命令可以查询它属于谁、有哪些权限：
profile-expires-days = { $days } 天后
profile-expires-never = 直到被撤销
profile-revoke = 撤销
profile-done-profile = 已保存
profile-done-password = 密码已修改
profile-done-revoked = 令牌已撤销

scope-form-read = 读取表单和文件夹
scope-form-write = 创建和修改表单和文件夹
scope-form-delete = 删除表单和文件夹
scope-entry-read = 读取数据
scope-entry-write = 创建和修改数据
scope-entry-delete = 删除数据
scope-form-respond = 填写已发布的表单
scope-integration-read = 查看 Webhook
scope-integration-write = 设置 Webhook
